"""The model that answers without a provider: rules, exact ones; it acts only through tools."""
