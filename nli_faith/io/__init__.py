"""Records in, results out: every format, every naming, nothing lost.

Reading: :func:`read_records`, :func:`coerce_record`, :class:`FieldMap`. Writing:
:class:`ResultWriter`, :class:`ResumeState`, :class:`RejectsWriter`, :func:`write_manifest`.
"""

from nli_faith.io.contexts import coerce_contexts
from nli_faith.io.fields import FieldMap, coerce_record
from nli_faith.io.formats import FORMATS
from nli_faith.io.jsontext import dumps, loads
from nli_faith.io.locks import OutputLock
from nli_faith.io.manifest import manifest_path, write_manifest
from nli_faith.io.names import parse_mapping, parse_pairs
from nli_faith.io.readers import POSITIONAL_ID, read_records
from nli_faith.io.rejects import Reject, RejectsWriter, rejects_path
from nli_faith.io.remote import RemoteOutput, is_remote
from nli_faith.io.resume import ResumeState
from nli_faith.io.scored import read_scored
from nli_faith.io.shards import Shard
from nli_faith.io.writers import ResultWriter, output_format

__all__ = [
    "FORMATS",
    "POSITIONAL_ID",
    "FieldMap",
    "OutputLock",
    "Reject",
    "RejectsWriter",
    "RemoteOutput",
    "ResultWriter",
    "ResumeState",
    "Shard",
    "coerce_contexts",
    "coerce_record",
    "dumps",
    "is_remote",
    "loads",
    "manifest_path",
    "output_format",
    "parse_mapping",
    "parse_pairs",
    "read_records",
    "read_scored",
    "rejects_path",
    "write_manifest",
]
