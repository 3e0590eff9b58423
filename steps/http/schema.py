"""Whether a document is as a JSON Schema says. Nothing is fetched: a reference leads to the schema itself."""

from __future__ import annotations

import json
from typing import Any

from ...runner.failure import StepFailed

_SHOWN = 5


def misfits(document: Any, schema_text: str) -> list[str]:
    """A line for each place that does not fit, the first few of them."""
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        schema = json.loads(schema_text)
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        found = sorted(
            kind(schema, registry=Registry()).iter_errors(document), key=lambda e: [*map(str, e.path)]
        )
    except (ValueError, RecursionError) as error:
        raise StepFailed(f"this schema is not JSON: {error}") from error
    except SchemaError as error:
        raise StepFailed(f"this is no JSON Schema: {error.message}") from error
    except Unresolvable as error:
        raise StepFailed(f"this schema refers to what it does not hold: {error}") from error
    lines = [f"  {'.'.join(map(str, error.path)) or 'the document'}: {error.message}" for error in found]
    more = [f"  and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return [*lines[:_SHOWN], *more]
