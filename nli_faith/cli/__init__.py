"""The command line: ``nli-faith``.

Exit codes: 0 done; 1 a gate was missed; 2 the call, an input or a model cannot be used; 3 done,
but some rows were rejected or failed; 4 the run could not be finished (rows written before
stay); 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback

import click

from nli_faith._version import __version__
from nli_faith.cli.bench import bench
from nli_faith.cli.calibrate import calibrate
from nli_faith.cli.cite import cite
from nli_faith.cli.demo import demo
from nli_faith.cli.diagnose import diagnose
from nli_faith.cli.doctor import doctor
from nli_faith.cli.evaluate import evaluate
from nli_faith.cli.explain import explain
from nli_faith.cli.gate import gate
from nli_faith.cli.guard import guard
from nli_faith.cli.inspect import quantities, split
from nli_faith.cli.models import models
from nli_faith.cli.rephrase import rephrase
from nli_faith.cli.report import report
from nli_faith.cli.review import review
from nli_faith.cli.runs import runs
from nli_faith.cli.sample import sample
from nli_faith.cli.score import score
from nli_faith.cli.serve import serve
from nli_faith.cli.triage import triage, triage_merge
from nli_faith.errors import (
    BackendError,
    NliFaithError,
    OutputError,
    OutputExistsError,
    OutputPathError,
    ResumeMismatchError,
)

EXIT_USAGE = 2
EXIT_FAILED = 4
EXIT_INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="nli-faith")
def cli() -> None:
    """Is every sentence of a RAG answer backed by the material? Local, no LLM judge.

    \b
    Start with:
      nli-faith demo
      nli-faith score records.jsonl -o scored.jsonl
      nli-faith explain --answer "保修期为三年。" --context "整机保修两年。"

    \b
    Exit codes: 0 done · 1 gate missed · 2 usage, input or model unusable ·
    3 done, some rows rejected · 4 run not finished · 130 interrupted
    """


for _command in (
    score, evaluate, diagnose, calibrate, triage, triage_merge, gate, guard, cite, sample, runs,
    rephrase, explain, report, review, serve, split, quantities, models, bench, doctor, demo,
):  # fmt: skip
    cli.add_command(_command)


def main(args: list[str] | None = None) -> None:
    """Entry point: runs the command and turns errors into one line and an exit code.

    Args:
        args: Arguments; those of the process when None.
    """
    try:
        code = cli.main(args=args, prog_name="nli-faith", standalone_mode=False)
    except click.exceptions.Exit as exit_:
        code = exit_.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("nli-faith: interrupted", err=True)
        code = EXIT_INTERRUPTED
    except NliFaithError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            sys.exit(0)  # the reader of a pipe (head, less) has gone: not an error of ours
        click.echo(f"nli-faith: {error}", err=True)
        code = exit_code_of(error)
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    except Exception:
        traceback.print_exc()
        click.echo(
            "nli-faith: this is a bug; please report it with the lines above and the output of "
            "`nli-faith doctor`",
            err=True,
        )
        code = EXIT_FAILED
    sys.exit(code if isinstance(code, int) else 0)


def exit_code_of(error: NliFaithError) -> int:
    """2 when the call can be mended, 4 when the run broke off."""
    if isinstance(error, (OutputPathError, OutputExistsError, ResumeMismatchError)):
        return EXIT_USAGE
    return EXIT_FAILED if isinstance(error, (OutputError, BackendError)) else EXIT_USAGE
