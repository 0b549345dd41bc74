import '../functions/functions.css';
import { Briefcase, Download, X } from 'lucide-react';
import { useState } from 'react';
import { useClient } from 'urql';
import { bytes } from '../../design/amounts.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useFeed } from '../../graph/use-feed.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSettled } from '../../graph/use-settled.ts';
import { mayOn } from '../../session/may.ts';
import type { LogLine } from '../functions/function-types.ts';
import { LogLines } from '../functions/log-lines.tsx';
import { projectCrumbs } from '../project-crumbs.ts';
import { saveBlob } from '../tables/download.ts';
import { exactDollars } from './job-money.ts';
import {
  CancelJobDocument,
  FollowJobLogsDocument,
  JobDocument,
  JobFileDocument,
  type JobQuery,
} from './jobs.graphql.ts';

/** How many of the newest lines the page begins with, and keeps. */
const tail = 500;
const linesKept = 1_000;

interface JobPageProps {
  readonly project: string;
  readonly job: string;
}

type ShownJob = NonNullable<JobQuery['job']>;

/** A job: how it stands, what it says as it says it, and what it has made. */
export default function JobPage({ project: id, job: jobId }: JobPageProps) {
  const answer = useAsk(JobDocument, { project: id, job: jobId });
  const cancel = useChange(CancelJobDocument);
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const again = useSettled(answer.again);
  const failed = useFeed(FollowJobLogsDocument, { project: id, job: jobId, tail }, ({ jobLogs: { line, reset } }) => {
    const shown: LogLine = {
      seq: line.eventId,
      at: line.timestamp,
      message: line.message,
      stream: line.stream === 'STDERR' ? 'stderr' : 'stdout',
      requestId: null,
    } as LogLine;
    setLines((now) => [...(reset ? [] : now.slice(1 - linesKept)), shown]);
    // The platform says what becomes of the job.
    if (line.stream === 'SYSTEM') again();
  });
  const project = answer.data?.project;
  const job = answer.data?.job;
  return (
    <Page
      title={job?.type ?? 'Job'}
      lead={job != null && <StateBadge value={job.status} />}
      crumbs={[...projectCrumbs(project?.organization, project), ['Jobs', `/projects/${id}/jobs`]]}
      actions={
        job != null &&
        !job.isOver &&
        project != null &&
        mayOn(project, 'project:jobs:write') && (
          <Button
            icon={X}
            isPending={cancel.busy}
            onPress={() =>
              void cancel.run({ project: id, job: jobId }).then((done) => done && announce('The job is cancelled.'))
            }
          >
            Cancel job
          </Button>
        )
      }
    >
      <ErrorNote error={cancel.error ?? (answer.error === undefined ? failed : undefined)} />
      <Loaded answer={answer}>
        {({ job: found }) =>
          found === null ? (
            <State icon={Briefcase} title="Job not found">
              The project has none with this id, or you have no access to it.
            </State>
          ) : (
            <>
              {found.error !== null && (
                <Note mood="bad" title={found.error.code}>
                  {found.error.message}
                </Note>
              )}
              <Details job={found} />
              <Artifacts project={id} job={found} />
              <Section title="Log" about="What the job has said, kept for 14 days.">
                {lines.length === 0 ? <p className="quiet small">Nothing yet.</p> : <LogLines lines={lines} />}
              </Section>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Details({ job }: { readonly job: ShownJob }) {
  const { jobId, createdAt, startedAt, completedAt, costUsdMicros: cost, absorbedOverageUsdMicros: absorbed } = job;
  return (
    <Section title="Details">
      <Facts
        facts={[
          [
            'Job',
            <span key="job" className="function-copied">
              <code>{jobId}</code>
              <CopyButton what="job id" text={jobId} isIcon />
            </span>,
          ],
          ['Submitted', <When key="made" at={createdAt} exact />],
          ['Began', startedAt === null ? undefined : <When key="began" at={startedAt} exact />],
          ['Ended', completedAt === null ? undefined : <When key="ended" at={completedAt} exact />],
          ['Took', job.wallSeconds === null ? undefined : `${job.wallSeconds} s`],
          ['Attempts', job.attemptCount],
          ['Interrupted', job.interruptCount === 0 ? undefined : job.interruptCount],
          ['May cost', exactDollars(job.maxCostUsdMicros)],
          ['Cost', cost === null ? undefined : exactDollars(cost)],
          ['Borne by the platform', absorbed === null || absorbed === 0 ? undefined : exactDollars(absorbed)],
        ]}
      />
    </Section>
  );
}

function Artifacts({ project, job }: { readonly project: string; readonly job: ShownJob }) {
  const client = useClient();
  const [note, setNote] = useState<string>();
  if (job.artifacts.length === 0) return null;
  const save = async (filename: string) => {
    const variables = { project, job: job.jobId, filename };
    const { data } = await client.query(JobFileDocument, variables, { requestPolicy: 'network-only' }).toPromise();
    const file = data?.jobArtifact;
    if (file == null) return setNote(`${filename} cannot be had now.`);
    if (file.contentBase64 === null)
      return setNote(`${filename} is large: svc jobs artifacts get ${job.jobId} --file ${filename}`);
    saveBytes(filename, file.contentBase64, file.contentType);
  };
  return (
    <Section title="Artifacts" about="Files that the job has made.">
      {note !== undefined && (
        <Note mood="warn" title="Not saved">
          {note}
        </Note>
      )}
      <Table
        label="Artifacts"
        rows={job.artifacts}
        keyOf={({ filename }) => filename}
        columns={[
          { id: 'name', name: 'Name', grows: true, cell: ({ filename }) => <code>{filename}</code> },
          { id: 'type', name: 'Type', isExtra: true, cell: ({ contentType }) => contentType },
          { id: 'size', name: 'Size', align: 'end', cell: ({ sizeBytes }) => bytes(sizeBytes) },
          {
            id: 'save',
            name: 'Save',
            isNameHidden: true,
            align: 'end',
            cell: ({ filename }) => (
              <Button small variant="quiet" icon={Download} onPress={() => void save(filename)}>
                <span>
                  Save<span className="seen-by-readers"> {filename}</span>
                </span>
              </Button>
            ),
          },
        ]}
        empty={null}
      />
    </Section>
  );
}

/** Saves bytes as a file. */
function saveBytes(name: string, base64: string, type: string): void {
  const content = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  saveBlob(name, new Blob([content], { type }));
}
