import { Note } from '../../design/note.tsx';
import type { ErrorsQuery } from './errors.graphql.ts';

type Verdict = NonNullable<NonNullable<ErrorsQuery['project']>['errors']>['verdict'];

const plural = (count: number, one: string, many: string) => `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** Whether to keep the release, and why. */
export function Verdict({ verdict }: { readonly verdict: Verdict }) {
  const { newFingerprints: fresh, invocationsInWindow: runs, comparedReleaseId: release } = verdict;
  const { recurringFingerprints: known, fullFidelityFunctions: full, coarseFunctions: coarse } = verdict;
  const about = release === null ? '' : ` release ${release}`;
  const isNew = `${plural(fresh, 'error is', 'errors are')} new.`;
  const [mood, title] =
    fresh > 0
      ? (['bad', release === null ? isNew : `Revert${about}: ${isNew}`] as const)
      : runs === 0
        ? (['warn', `No traffic yet: nothing was run, so nothing could fail.`] as const)
        : (['good', release === null ? 'No new errors.' : `Promote${about}: no new errors.`] as const);
  return (
    <section className="verdict" aria-label="Verdict">
      <Note mood={mood} title={title}>
        {release !== null &&
          `It was compared with ${verdict.baselineReleaseId === null ? 'no earlier release' : `release ${verdict.baselineReleaseId}`}. `}
        {plural(runs, 'run', 'runs')} in this time.
        {coarse > 0 &&
          ` ${plural(coarse, 'function is', 'functions are')} only counted, so their errors may hide a new one.`}
      </Note>
      <dl className="verdict-numbers">
        {(
          [
            ['New', fresh],
            ['Seen before', known],
            ['Runs', runs],
            ['Functions fully reported', full],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value.toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      {verdict.atCap && (
        <Note mood="warn" title={`The project keeps ${verdict.rowCap.toLocaleString()} errors.`}>
          Those seen longest ago were removed.
        </Note>
      )}
    </section>
  );
}
