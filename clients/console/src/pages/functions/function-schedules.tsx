import { CalendarClock, Play } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Panel } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go } from '../../router.tsx';
import type { ShownFunction, ShownSchedule } from './function-types.ts';
import { RunFunctionTriggerDocument } from './functions.graphql.ts';
import { RunStatus } from './run-status.tsx';

interface FunctionSchedulesProps {
  readonly project: string;
  readonly fn: ShownFunction;
  readonly mayRun: boolean;
}

/** When a function is run by itself. */
export function FunctionSchedules({ project, fn: { name, schedules }, mayRun }: FunctionSchedulesProps) {
  if (schedules.length === 0)
    return (
      <State icon={CalendarClock} title="No schedules">
        A schedule comes with the release: <code>svc functions update {name} --schedule '30 2 * * *'</code> sets one.
      </State>
    );
  return schedules.map((schedule) => (
    <Schedule key={schedule.triggerId} project={project} name={name} schedule={schedule} mayRun={mayRun} />
  ));
}

interface ScheduleProps {
  readonly project: string;
  readonly name: string;
  readonly schedule: ShownSchedule;
  readonly mayRun: boolean;
}

function Schedule({ project, name, schedule, mayRun }: ScheduleProps) {
  const fire = useChange(RunFunctionTriggerDocument);
  const { triggerId, cron, timezone, nextRuns, lastRunAt, lastStatus, lastError, runCount } = schedule;
  const run = async () => {
    const fired = await fire.run({ project, name, trigger: triggerId });
    const made = fired?.runFunctionTrigger?.runId;
    if (made === undefined) return;
    announce(`${triggerId} has a run.`);
    go(`/projects/${project}/functions/${name}/runs/${made}`);
  };
  return (
    <Panel
      title={triggerId}
      about={
        <>
          <code>{cron}</code> in {timezone}
        </>
      }
      actions={
        mayRun && (
          <Button icon={Play} isPending={fire.busy} onPress={() => void run()}>
            <span>
              Run now<span className="seen-by-readers"> {triggerId}</span>
            </span>
          </Button>
        )
      }
    >
      <ErrorNote error={fire.error} />
      <Facts
        facts={[
          [
            'Next runs',
            nextRuns.length === 0 ? (
              'None'
            ) : (
              <ol key="next" className="function-list">
                {nextRuns.map((at) => (
                  <li key={at}>{momentIn(timezone, at)}</li>
                ))}
              </ol>
            ),
          ],
          ['Last run', <When key="last" at={lastRunAt} />],
          ['State of it', lastStatus === null ? undefined : <RunStatus key="status" status={lastStatus} />],
          ['Its error', lastError === null ? undefined : lastError],
          ['Runs', runCount.toLocaleString()],
        ]}
      />
    </Panel>
  );
}

/** A moment by the clock that a schedule goes by. */
const momentIn = (timeZone: string, at: string): string =>
  new Intl.DateTimeFormat(undefined, {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone,
  }).format(new Date(at));
