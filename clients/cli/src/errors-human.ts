import { humanText } from './human.ts';

interface Counts {
  readonly bucket: string;
  readonly starts_at: string;
  readonly values: readonly number[];
}

interface Row {
  readonly fingerprint_id: string;
  readonly function: string;
  readonly kind: string;
  readonly error_name: string;
  readonly message_template: string;
  readonly count: number;
  readonly first_seen_release_id: string | null;
  readonly last_seen: string;
  readonly counts?: Counts;
}

interface Page {
  readonly verdict: {
    readonly window: { readonly since: string; readonly until: string };
    readonly compared_release_id: string | null;
    readonly baseline_release_id: string | null;
    readonly new_fingerprints: number;
    readonly recurring_fingerprints: number;
    readonly invocations_in_window: number;
    readonly coverage: { readonly full_fidelity_functions: number; readonly coarse_functions: number };
    readonly row_cap: { readonly limit: number; readonly at_cap: boolean };
  };
  readonly counts?: Counts;
  readonly errors: readonly Row[];
  readonly next_cursor?: string;
}

/** Failures for people: the verdict in words, and a line for each with what tells it apart; one failure with all of it. */
export function errorsForPeople(result: Page | Readonly<Record<string, unknown>>): string {
  if (!('verdict' in result)) return humanText(result);
  const { verdict, counts, errors, next_cursor: next } = result as Page;
  const { window, coverage, row_cap: cap, compared_release_id: compared } = verdict;
  const { new_fingerprints: fresh, recurring_fingerprints: known, invocations_in_window: runs } = verdict;
  return humanText({
    verdict: `${fresh} new, ${known} seen before; functions ran ${runs} times`,
    window: `${window.since} to ${window.until}`,
    ...(compared !== null && { release: `${compared}, after ${verdict.baseline_release_id ?? 'none'}` }),
    functions: `${coverage.full_fidelity_functions} told in full, ${coverage.coarse_functions} merely counted`,
    ...(cap.at_cap && { kept: `${cap.limit}, the most there may be: those seen longest ago made room` }),
    ...(counts !== undefined && { [`by_the_${counts.bucket}`]: `${chart(counts)} since ${counts.starts_at}` }),
    errors: errors.map((row) => ({
      fingerprint_id: row.fingerprint_id,
      function: row.function,
      kind: row.kind,
      what: `${row.error_name}: ${row.message_template}`,
      count: row.count,
      first_release: row.first_seen_release_id,
      last_seen: row.last_seen,
      ...(row.counts !== undefined && { [`by_the_${row.counts.bucket}`]: chart(row.counts) }),
    })),
    ...(next !== undefined && { more: `--cursor ${next}` }),
  });
}

const bars = '▁▂▃▄▅▆▇█';
/** The latest buckets that a line has room for. */
const barsMax = 48;

/** A bar for each bucket, its height by the highest of them; what holds nothing is flat. */
function chart({ values }: Counts): string {
  const shown = values.slice(-barsMax);
  const most = Math.max(1, ...shown);
  return shown.map((value) => bars[Math.ceil((value / most) * (bars.length - 1))]).join('');
}
