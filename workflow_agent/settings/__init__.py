"""What an operator can change, read from the environment once."""

from workflow_agent.settings.every import Settings, load_settings, refuse_open_binding, state_folder
from workflow_agent.settings.misspelt import unknown_variables, without_effect
from workflow_agent.settings.of_others import OtlpTargets, ProviderKeys
from workflow_agent.settings.page import meanings_of_settings, settings_page, shown_value
from workflow_agent.settings.parts import ENV_PREFIX

__all__ = [
    "ENV_PREFIX",
    "OtlpTargets",
    "ProviderKeys",
    "Settings",
    "load_settings",
    "meanings_of_settings",
    "refuse_open_binding",
    "settings_page",
    "shown_value",
    "state_folder",
    "unknown_variables",
    "without_effect",
]
