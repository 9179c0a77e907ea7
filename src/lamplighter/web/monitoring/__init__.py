"""What do monitors of this process ask? Its health and its metrics, without the web framework."""
