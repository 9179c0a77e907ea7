"""Where are records searched? The database, Meilisearch, Elasticsearch or OpenSearch."""
