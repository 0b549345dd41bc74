import { FlaskConical } from 'lucide-react';
import { Badge, type Mood } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Note } from '../../design/note.tsx';
import { Section } from '../../design/section.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go, Link } from '../../router.tsx';
import { RehearseDeployDocument } from './deploys.graphql.ts';

interface Report {
  readonly status: 'passed' | 'failed';
  readonly source_project_id: string;
  readonly branch_project_id: string | null;
  readonly checks: readonly {
    readonly name: string;
    readonly type: string;
    readonly status: 'passed' | 'failed' | 'skipped';
    readonly error?: { readonly message: string };
  }[];
  readonly teardown: { readonly action: string };
  readonly error?: { readonly code: string; readonly message: string };
}

const moods: Readonly<Record<Report['checks'][number]['status'], Mood>> = {
  passed: 'good',
  failed: 'bad',
  skipped: 'plain',
};

interface RehearsePlanProps {
  readonly project: string;
  readonly plan: string;
}

/** Begins the rehearsal of a plan that was not committed, and shows it once it is over or takes long. */
export function RehearsePlan({ project, plan }: RehearsePlanProps) {
  const rehearse = useChange(RehearseDeployDocument);
  const run = async () => {
    const operation = (await rehearse.run({ plan }))?.rehearseDeploy?.operationId;
    if (operation === undefined) return;
    announce('The plan is rehearsed on a branch.');
    go(`/projects/${project}/deploys/${operation}`);
  };
  return (
    <>
      <Note
        title="The plan was not committed"
        action={
          <Button icon={FlaskConical} isPending={rehearse.busy} onPress={() => void run()}>
            Rehearse
          </Button>
        }
      >
        A rehearsal applies it to a branch with the rows of now. What is live stays as it is.
      </Note>
      <ErrorNote error={rehearse.error} />
    </>
  );
}

/** What a rehearsal has come to. */
export function RehearsalOutcome({ report: given }: { readonly report: Readonly<Record<string, unknown>> }) {
  const report = given as unknown as Report;
  const { status, checks, teardown, error, source_project_id: project } = report;
  return (
    <>
      <Note
        mood={status === 'passed' ? 'good' : 'bad'}
        title={status === 'passed' ? 'All went well on the branch' : 'The plan failed on the branch'}
        action={teardown.action === 'kept' && <Link to={`/projects/${project}/branches`}>Look at the branches</Link>}
      >
        {error !== undefined && <p dir="auto">{error.message}</p>}
      </Note>
      <Section title="Checks">
        <Table
          label="Checks"
          rows={checks}
          keyOf={({ type, name }) => `${type} ${name}`}
          columns={[
            { id: 'status', name: 'Status', cell: (one) => <Badge mood={moods[one.status]}>{one.status}</Badge> },
            { id: 'type', name: 'Type', cell: ({ type }) => type },
            { id: 'name', name: 'Name', cell: ({ name }) => <code className="bare">{name}</code> },
            {
              id: 'error',
              name: 'Found',
              grows: true,
              cell: (one) => <span dir="auto">{one.error?.message}</span>,
            },
          ]}
          empty={<p className="quiet small">Nothing was checked.</p>}
        />
      </Section>
    </>
  );
}
