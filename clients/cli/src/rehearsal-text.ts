import type { Shown } from './human.ts';
import { wrapped } from './human-table.ts';
import { quiet } from './human-values.ts';

interface Failure {
  readonly code: string;
  readonly message: string;
}

interface Report {
  readonly status: string;
  readonly duration_ms: number;
  readonly checks: readonly {
    readonly name: string;
    readonly type: string;
    readonly status: string;
    readonly error?: Failure;
  }[];
  readonly branch_project_id: string | null;
  readonly branch_url: string | null;
  readonly teardown: { readonly action: string };
  readonly next_actions: readonly { readonly command?: string; readonly message: string }[];
  readonly error?: Failure;
}

interface Rehearsal {
  readonly operation_id: string;
  readonly report: Report;
}

const branchWords: Readonly<Record<string, string>> = {
  kept: 'The branch is left',
  deleted: 'The branch is deleted',
  delete_failed: 'The branch could not be deleted',
  skipped: 'There is no branch',
};

/** The report of a rehearsal: a line for each check, then what became of the branch, and what can be done. */
export function rehearsalText({ operation_id, report }: Rehearsal, { width }: Shown): string {
  const { checks, teardown, error } = report;
  const widest = Math.max(0, ...checks.map(({ name, type }) => quiet(`${type} ${name}`).length));
  const indent = ' '.repeat(10);
  const within = (text: string) =>
    wrapped(quiet(text), Math.max(20, width - indent.length), Number.POSITIVE_INFINITY).map((line) => indent + line);
  const isTold = checks.some((check) => check.error?.message === error?.message);
  const where = teardown.action === 'kept' ? `: ${report.branch_project_id}, ${report.branch_url ?? 'not served'}` : '';
  return [
    ...checks.flatMap((check) => [
      `${check.status.padEnd(8)}  ${quiet(`${check.type} ${check.name}`).padEnd(widest)}`.trimEnd(),
      ...(check.error === undefined ? [] : within(check.error.message)),
    ]),
    ...(error === undefined || isTold ? [] : [`${error.code}: ${quiet(error.message)}`]),
    '',
    `The rehearsal ${operation_id} has ${report.status} after ${(report.duration_ms / 1_000).toFixed(1)} seconds.`,
    `${branchWords[teardown.action] ?? teardown.action}${where}.`,
    ...report.next_actions.map(({ command, message }) => (command === undefined ? message : `${message} ${command}`)),
  ].join('\n');
}
