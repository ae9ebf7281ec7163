"""Words that conditions are made of."""

from typing import Final

from workflow_agent.agent.offline.drafting.words import word_set

POSITIVE: Final = word_set(
    "yes ok okay fine good correct valid positive successful passes passed pass succeeds succeeded "
    "happy satisfied so right "
    "successfully acceptable passing green works worked clean alright great perfect satisfactory"
)
"""What says that something went as it should."""
NEGATIVE: Final = word_set(
    "no negative invalid incorrect wrong bad unsuccessful nok unhappy unsatisfied unsatisfactory "
    "dissatisfied "
    "unacceptable faulty disapproved red disagree disagrees"
)
"""What says that it did not."""
BE: Final = word_set("is are was were be been being gets get got has have had does do did will")
"""What joins a subject to what is said of it."""
NOT: Final = word_set("not no never neither")
