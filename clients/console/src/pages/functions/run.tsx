import './functions.css';
import { History, RotateCcw, X } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useFeed } from '../../graph/use-feed.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSettled } from '../../graph/use-settled.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { sourceOf } from './function-runs.tsx';
import { milliseconds, type ShownRun } from './function-types.ts';
import {
  CancelFunctionRunDocument,
  FollowFunctionRunDocument,
  FunctionRunDocument,
  RedriveFunctionRunDocument,
} from './functions.graphql.ts';
import { LogLines } from './log-lines.tsx';
import { RunStatus } from './run-status.tsx';

interface RunPageProps {
  readonly project: string;
  readonly name: string;
  readonly run: string;
}

/** A run of a function: how it stands, what its attempts came to and printed, as it happens. */
export default function RunPage({ project: id, name, run: runId }: RunPageProps) {
  const answer = useAsk(FunctionRunDocument, { project: id, run: runId });
  const failed = useFeed(FollowFunctionRunDocument, { run: runId }, useSettled(answer.again));
  const cancel = useChange(CancelFunctionRunDocument);
  const redrive = useChange(RedriveFunctionRunDocument);
  const project = answer.data?.project;
  // An id leads to any run that the member may see, also one of another function.
  const run = answer.data?.functionRun?.functionName === name ? answer.data.functionRun : undefined;
  const mayRun = project != null && mayOn(project, 'project:functions:run');
  return (
    <Page
      title="Run"
      lead={run !== undefined && <RunStatus status={run.status} />}
      crumbs={[
        ...projectCrumbs(project?.organization, project),
        ['Functions', `/projects/${id}/functions`],
        [name, `/projects/${id}/functions/${name}?tab=runs`],
      ]}
      actions={
        mayRun &&
        run !== undefined && (
          <>
            {!run.terminal && (
              <Button
                icon={X}
                isPending={cancel.busy}
                onPress={() =>
                  void cancel.run({ run: runId }).then((done) => done && announce('The run is cancelled.'))
                }
              >
                Cancel run
              </Button>
            )}
            {run.terminal && run.status !== 'SUCCEEDED' && (
              <Button
                variant="primary"
                icon={RotateCcw}
                isPending={redrive.busy}
                onPress={() =>
                  void redrive.run({ run: runId }).then((done) => done && announce('The run begins again.'))
                }
              >
                Run again
              </Button>
            )}
          </>
        )
      }
    >
      <ErrorNote error={cancel.error ?? redrive.error ?? (answer.error === undefined ? failed : undefined)} />
      <Loaded answer={answer}>
        {() =>
          run === undefined ? (
            answer.error === undefined && (
              <State icon={History} title="Run not found">
                The function has none with this id, or you have no access to it.
              </State>
            )
          ) : (
            <Shown run={run} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Shown({ run }: { readonly run: ShownRun }) {
  const { runId, eventType, source, generation, runAt, expiresAt, attempts, lastAttempt, lastError, logs } = run;
  return (
    <>
      {lastError !== null && run.status !== 'SUCCEEDED' && (
        <Note mood={run.status === 'FAILED' ? 'bad' : 'warn'} title={lastError.code}>
          {lastError.message}
        </Note>
      )}
      <Section title="Details">
        <Facts
          facts={[
            [
              'Run',
              <span key="run" className="function-copied">
                <code>{runId}</code>
                <CopyButton what="run id" text={runId} isIcon />
              </span>,
            ],
            ['Event', eventType],
            ['Made by', sourceOf(source)],
            ['Made', <When key="made" at={run.createdAt} exact />],
            ['Runs at', <When key="at" at={runAt} exact />],
            ['Expires', expiresAt === null ? undefined : <When key="expires" at={expiresAt} />],
            ['Ended', run.completedAt === null ? undefined : <When key="ended" at={run.completedAt} exact />],
          ]}
        />
      </Section>
      <Section title="Attempts">
        <Facts
          facts={[
            ['Attempts', `${attempts.current} of ${attempts.max}`],
            ['Generation', generation === 1 ? undefined : `${generation}, with ${attempts.total} attempts in all`],
            ['Next', attempts.nextAttemptAt === null ? undefined : <When key="next" at={attempts.nextAttemptAt} />],
            ['Latest', lastAttempt === null ? undefined : <code key="latest">{lastAttempt.attemptId}</code>],
            ['Began', lastAttempt === null ? undefined : <When key="began" at={lastAttempt.startedAt} exact />],
            ['Took', lastAttempt?.durationMs == null ? undefined : milliseconds(lastAttempt.durationMs)],
            ['Answered', lastAttempt?.responseStatus ?? undefined],
          ]}
        />
      </Section>
      <Section title="Log" about="What the attempts have printed, kept for 14 days.">
        {logs === null || logs.length === 0 ? (
          <p className="quiet small">Nothing was printed.</p>
        ) : (
          <LogLines lines={logs} />
        )}
      </Section>
    </>
  );
}
