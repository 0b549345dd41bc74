import { Equal } from 'lucide-react';
import { count } from '../../design/amounts.ts';
import { Badge, type Mood } from '../../design/badge.tsx';
import { Select } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { shortened } from './deploy-types.ts';
import { ReleaseChoicesDocument, ReleaseDiffDocument } from './deploys.graphql.ts';
import { type ChangeKind, entriesOf, leftOut, type ReleaseDiff } from './diff-entries.ts';

interface ReleaseChangesProps {
  readonly project: string;
  readonly release: string;
  /** The release that was live before; null for the first one. */
  readonly before: string | null;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const moods: Readonly<Record<ChangeKind, Mood>> = { added: 'good', removed: 'bad', changed: 'warn' };

/** What is different between a release and another one, which the address names. */
export function ReleaseChanges({ project, release, before }: ReleaseChangesProps) {
  const [against, setAgainst] = useSearch('against', 'before');
  const choices = useAsk(ReleaseChoicesDocument, { project }).data?.project?.deploys?.edges ?? [];
  const others = new Map(
    choices.flatMap(({ node: { releaseId, createdAt } }) =>
      releaseId === null || releaseId === release ? [] : [[releaseId, createdAt] as const],
    ),
  );
  const from = against === 'before' ? (before ?? 'empty') : against;
  const answer = useAsk(ReleaseDiffDocument, { project, from, to: release });
  return (
    <Section
      title="Changes"
      about="What this release has that the other one has not, and the other way round."
      actions={
        <div className="deploy-against">
          <Select
            label="Compared with"
            options={[
              { id: 'before', name: before === null ? 'Nothing: it was the first' : 'The release before it' },
              { id: 'active', name: 'The release that is live' },
              { id: 'empty', name: 'An empty project' },
              ...[...others].map(([id, at]) => ({ id, name: `${shortened(id)}, ${day.format(new Date(at))}` })),
            ]}
            value={against}
            onChange={(next) => setAgainst(next, { replace: true })}
          />
        </div>
      }
    >
      <Loaded answer={answer}>
        {({ project: found }) =>
          found?.releaseDiff != null && <Difference diff={found.releaseDiff as unknown as ReleaseDiff} />
        }
      </Loaded>
    </Section>
  );
}

function Difference({ diff }: { readonly diff: ReleaseDiff }) {
  const more = leftOut(diff);
  return (
    <>
      <p className="quiet small">{diff.summary}</p>
      <Table
        label="Changes"
        rows={entriesOf(diff)}
        keyOf={({ kind, what, name }) => `${what} ${kind} ${name}`}
        columns={[
          { id: 'kind', name: 'Change', cell: ({ kind }) => <Badge mood={moods[kind]}>{kind}</Badge> },
          { id: 'what', name: 'What', cell: ({ what }) => what },
          { id: 'name', name: 'Name', grows: true, cell: ({ name }) => <code className="bare">{name}</code> },
        ]}
        empty={
          <State icon={Equal} title="No difference">
            Both releases hold the same.
          </State>
        }
      />
      {more > 0 && <p className="quiet small">{count(more)} more files are different.</p>}
    </>
  );
}
