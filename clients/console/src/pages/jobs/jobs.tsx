import { Briefcase, Lock, Plus, SearchX, Trash2 } from 'lucide-react';
import { enumName, StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Select } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { exactDollars } from './job-money.ts';
import { type JobRowFragment, JobsDocument, PurgeJobsDocument } from './jobs.graphql.ts';
import { SubmitJob } from './submit-job.tsx';

const statuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
const options = [{ id: 'any', name: 'Any state' }, ...statuses.map((id) => ({ id, name: enumName(id) }))];

/** How often the list is read again, in milliseconds. */
const everyMs = 5_000;

/** The managed jobs of a project, newest first. The address holds the filter and the dialog. */
export default function JobsPage({ project: id }: { readonly project: string }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [asked, setAsked] = useSearch('status', 'any');
  const status = statuses.find((one) => one === asked) ?? null;
  const pages = usePages(String(status));
  const answer = useAsk(JobsDocument, { project: id, status, after: pages.after ?? null });
  useExistingPage(pages, answer.error);
  useWhileVisible(everyMs, answer.again);
  const purge = useChange(PurgeJobsDocument);
  const project = answer.data?.project;
  const mayWrite = project != null && mayOn(project, 'project:jobs:write');
  useCommands(
    mayWrite
      ? [{ id: 'submit job', name: 'Submit a job', icon: Plus, words: 'new run', act: () => setDialog('submit') }]
      : [],
  );
  const close = () => {
    setDialog('', { replace: true });
    answer.again();
  };
  return (
    <Page
      title="Jobs"
      lead="Work that the gateway does for the project in the background."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        mayWrite && (
          <>
            <Button icon={Trash2} onPress={() => setDialog('purge')}>
              Purge
            </Button>
            <Button variant="primary" icon={Plus} onPress={() => setDialog('submit')}>
              Submit job
            </Button>
          </>
        )
      }
    >
      {project != null && !mayOn(project, 'project:jobs:read') ? (
        <State icon={Lock} title="You cannot see the jobs">
          Members of the organization see them.
        </State>
      ) : (
        <>
          <Filters>
            <Select label="State" options={options} value={status ?? 'any'} onChange={setAsked} />
          </Filters>
          <Loaded answer={answer}>
            {({ project: found }) => (
              <>
                <Table
                  label="Jobs"
                  columns={columns}
                  rows={found?.jobs?.edges.map(({ node }) => node) ?? []}
                  keyOf={({ jobId }) => jobId}
                  linkOf={({ jobId }) => `/projects/${id}/jobs/${jobId}`}
                  empty={
                    status !== null || pages.back !== undefined ? (
                      <State icon={SearchX} title="No job fits">
                        Choose another state.
                      </State>
                    ) : (
                      <State icon={Briefcase} title="No jobs yet">
                        A job imports a file, audits sites, or does what the operator offers.
                        {mayWrite && <Button onPress={() => setDialog('submit')}>Submit the first job</Button>}
                      </State>
                    )
                  }
                />
                <Pager pages={pages} info={found?.jobs?.pageInfo} list="jobs" />
              </>
            )}
          </Loaded>
        </>
      )}
      {mayWrite && dialog === 'submit' && <SubmitJob project={id} close={close} />}
      <Confirm
        title="Purge all jobs?"
        isOpen={mayWrite && dialog === 'purge'}
        close={close}
        act="Purge jobs"
        error={purge.error}
        run={async () => {
          const done = await purge.run({ project: id });
          if (done !== undefined) announce(`${done.purgeJobs?.deletedJobs ?? 0} jobs are deleted.`);
          return done !== undefined;
        }}
      >
        Jobs that have not ended are cancelled. All of them are deleted, with their logs and artifacts.
      </Confirm>
    </Page>
  );
}

const columns: readonly TableColumn<JobRowFragment>[] = [
  { id: 'job', name: 'Job', cell: ({ jobId }) => <code>{jobId}</code> },
  {
    id: 'type',
    name: 'Type',
    grows: true,
    cell: ({ type, error }) => (
      <>
        {type}
        {error !== null && <code className="bare small quiet"> {error.code}</code>}
      </>
    ),
  },
  { id: 'status', name: 'State', cell: ({ status }) => <StateBadge value={status} /> },
  {
    id: 'cost',
    name: 'Cost',
    align: 'end',
    cell: ({ costUsdMicros: cost, maxCostUsdMicros: cap }) =>
      cost === null ? <span className="quiet">up to {exactDollars(cap)}</span> : exactDollars(cost),
  },
  { id: 'made', name: 'Submitted', align: 'end', cell: ({ createdAt }) => <When at={createdAt} /> },
];
