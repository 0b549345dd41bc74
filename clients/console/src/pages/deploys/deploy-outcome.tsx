import { RotateCw } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Note } from '../../design/note.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { Link } from '../../router.tsx';
import { isWaiting } from './deploy-status.tsx';
import type { DeployQuery } from './deploys.graphql.ts';
import { ResumeDeployDocument } from './deploys.graphql.ts';

type Deploy = NonNullable<DeployQuery['deployOperation']>;

/** What a deploy failed with, as the gateway tells it. */
interface DeployError {
  readonly code: string;
  readonly message: string;
  readonly logs?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}

interface DeployOutcomeProps {
  readonly deploy: Deploy;
  readonly mayWrite: boolean;
  readonly mayRunSql: boolean;
}

/** How a deploy went wrong, what that left behind, and what can be done. Nothing for one that went well. */
export function DeployOutcome({ deploy, mayWrite, mayRunSql }: DeployOutcomeProps) {
  const { status, projectId } = deploy;
  const error = deploy.error as unknown as DeployError | null;
  return (
    <>
      {isWaiting(status) && <Waiting deploy={deploy} error={error} mayWrite={mayWrite} />}
      {status === 'failed' && (
        <Note mood="bad" title="Nothing was changed">
          <Reason error={error} />
        </Note>
      )}
      {status === 'rolled_back' && (
        <Note mood="warn" title="A migration failed, and all of its transaction was taken back">
          <Reason error={error} />
        </Note>
      )}
      {status === 'needs_repair' && (
        <Note
          mood="bad"
          title="A migration outside of a transaction failed, and may be half done"
          action={mayRunSql && <Link to={`/projects/${projectId}/sql`}>Look at the database</Link>}
        >
          <Reason error={error} />
        </Note>
      )}
      {error !== null && <Details error={error} />}
    </>
  );
}

const Reason = ({ error }: { readonly error: DeployError | null }) =>
  error !== null && (
    <>
      <p dir="auto">{error.message}</p>
      <code className="bare small">{error.code}</code>
    </>
  );

function Details({ error: { message, logs = [], details = {} } }: { readonly error: DeployError }) {
  // A short log is told by the message already.
  const more = logs.filter((line) => !message.includes(line));
  if (more.length > 0) return <CodeBlock title="Logged meanwhile" code={more.join('\n')} />;
  return Object.keys(details).length === 0 ? null : (
    <CodeBlock title="Details" code={JSON.stringify(details, null, 2)} />
  );
}

interface WaitingProps {
  readonly deploy: Deploy;
  readonly error: DeployError | null;
  readonly mayWrite: boolean;
}

function Waiting({ deploy: { operationId, activateAttempts }, error, mayWrite }: WaitingProps) {
  const resume = useChange(ResumeDeployDocument);
  return (
    <>
      <Note
        mood="warn"
        title="Migrations were run, and the release is not live yet"
        action={
          mayWrite && (
            <Button
              icon={RotateCw}
              isPending={resume.busy}
              onPress={async () => {
                if ((await resume.run({ operation: operationId })) !== undefined) announce('The deploy goes on.');
              }}
            >
              Try again now
            </Button>
          )
        }
      >
        <Reason error={error} />
        <p className="small quiet">
          The gateway tries again every hour. It has tried{' '}
          {activateAttempts === 1 ? 'once' : `${activateAttempts} times`}.
        </p>
      </Note>
      <ErrorNote error={resume.error} />
    </>
  );
}
