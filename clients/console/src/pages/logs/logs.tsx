import './logs.css';
import { ScrollText, SearchX } from 'lucide-react';
import { useState } from 'react';
import { count } from '../../design/amounts.ts';
import { Button } from '../../design/button.tsx';
import { SearchField, Select, Switch } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { go } from '../../router.tsx';
import { usePageSearch, useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { RequestsDocument, type RequestsQuery } from './logs.graphql.ts';
import { RequestDetails } from './request-details.tsx';
import { RequestTable } from './request-table.tsx';

type Project = NonNullable<RequestsQuery['project']>;

/** How often a page that follows asks again, in milliseconds. */
const followMs = 3_000;
const pageRows = 50;

const statuses = {
  any: undefined,
  '2xx': 'SUCCESS',
  '3xx': 'REDIRECTION',
  '4xx': 'CLIENT_ERROR',
  '5xx': 'SERVER_ERROR',
} as const;

const statusOptions = [
  { id: 'any', name: 'Any status' },
  { id: '2xx', name: '2xx success' },
  { id: '3xx', name: '3xx redirection' },
  { id: '4xx', name: '4xx refused' },
  { id: '5xx', name: '5xx failed' },
];

const methodOptions = ['any', 'GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'WS'].map((id) => ({
  id,
  name: id === 'any' ? 'Any method' : id,
}));

const times = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

const timeOptions = [
  { id: 'hour', name: 'Last hour' },
  { id: 'day', name: 'Last day' },
  { id: 'week', name: 'Last 7 days' },
];

const knownOr = (value: string, known: object, usual: string): string => (Object.hasOwn(known, value) ? value : usual);

/** The latest requests of a project. The address holds the filters, the page and the request that is open. */
export default function LogsPage({ project: id }: { readonly project: string }) {
  const [statusAsked, setStatus] = useSearch('status', 'any');
  const [method, setMethod] = useSearch('method', 'any');
  const [timeAsked, setTime] = useSearch('time', 'week');
  const [live, setLive] = useSearch('live', 'on');
  const [after, setAfter] = useSearch('after', '');
  const [request, openRequest] = useSearch('request', '');
  const find = useTypedSearch('path', {
    begin: () => setAfter('', { replace: true }),
    take(text) {
      if (!isRequestId(text)) return false;
      openRequest(text);
      return true;
    },
  });
  const path = find.applied;
  const status = knownOr(statusAsked, statuses, 'any') as keyof typeof statuses;
  const time = knownOr(timeAsked, times, 'week') as keyof typeof times;
  const since = useMoment(times[time]);
  const answer = useAsk(RequestsDocument, {
    project: id,
    first: pageRows,
    after: after === '' ? null : after,
    status: statuses[status] ?? null,
    method: method === 'any' ? null : method,
    path: path === '' ? null : path,
    since,
  });
  const follows = live === 'on' && after === '';
  useWhileVisible(follows ? followMs : undefined, answer.again);
  const project = answer.data?.project;
  const isFiltered = status !== 'any' || method !== 'any' || path !== '';
  return (
    <Page
      title="Logs"
      lead="Requests of every kind, for seven days, without their query strings and credentials."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        <Switch isSelected={live === 'on'} onChange={(on) => setLive(on ? 'on' : 'off', { replace: true })}>
          Live
        </Switch>
      }
    >
      <Toolbar
        label="Filters"
        end={
          <span className="quiet small" role="status">
            {follows ? 'Updates every 3 seconds' : live === 'on' ? 'Only the newest page updates' : 'Updates are off'}
          </span>
        }
      >
        <div className="log-find">
          <SearchField
            label="Path or request id"
            value={find.typed}
            onChange={find.type}
            placeholder="/rest/v1/… or trc_…"
          />
        </div>
        <div className="log-filter">
          <Select label="Status" options={statusOptions} value={status} onChange={(next) => pick(setStatus, next)} />
        </div>
        <div className="log-filter">
          <Select label="Method" options={methodOptions} value={method} onChange={(next) => pick(setMethod, next)} />
        </div>
        <div className="log-filter">
          <Select label="Time" options={timeOptions} value={time} onChange={(next) => pick(setTime, next)} />
        </div>
      </Toolbar>
      <Loaded answer={answer}>
        {({ project: found }) => found !== null && <Log project={found} isFiltered={isFiltered} />}
      </Loaded>
      {request !== '' && (
        <RequestDetails
          projectId={id}
          requestId={request}
          mayReadErrors={project != null && mayOn(project, 'project:read')}
          close={() => openRequest('')}
        />
      )}
    </Page>
  );
}

/** A filter begins at the newest page. */
function pick(set: (value: string) => void, value: string): void {
  const params = new URLSearchParams(location.search);
  if (params.has('after')) {
    params.delete('after');
    go(here(params), { replace: true });
  }
  set(value);
}

const here = (params: URLSearchParams): string =>
  location.pathname.slice('/console'.length) + (params.size === 0 ? '' : `?${params}`);

/** A moment so long ago, the same until another length is asked for: each moment would be another query. */
function useMoment(agoMs: number): string {
  const [moment, setMoment] = useState({ agoMs, at: new Date(Date.now() - agoMs).toISOString() });
  if (moment.agoMs === agoMs) return moment.at;
  const next = { agoMs, at: new Date(Date.now() - agoMs).toISOString() };
  setMoment(next);
  return next.at;
}

const isRequestId = (text: string): boolean => /^trc_[0-9a-f]{32}$/.test(text);

function Log({ project, isFiltered }: { readonly project: Project; readonly isFiltered: boolean }) {
  const search = usePageSearch();
  const linkTo = (name: string, value: string | undefined) => {
    const params = new URLSearchParams(search);
    if (value === undefined) params.delete(name);
    else params.set(name, value);
    return here(params);
  };
  const { requests } = project;
  if (requests === null) return <State icon={ScrollText} title="Not available" />;
  const { edges, pageInfo, leftOut } = requests;
  const isFirst = !new URLSearchParams(search).has('after');
  return (
    <>
      {leftOut > 0 && (
        <p className="quiet small">
          {count(leftOut)} more requests were counted but not kept. The log of a busy project keeps a sample.
        </p>
      )}
      <RequestTable
        label="Requests"
        rows={edges.map(({ node }) => node)}
        linkOf={({ requestId }) => linkTo('request', requestId)}
        empty={
          isFiltered || !isFirst ? (
            <State icon={SearchX} title="No request fits">
              Take a filter away, or look further back.
            </State>
          ) : (
            <State icon={ScrollText} title="No requests yet">
              The first call of the project shows here a moment later.
            </State>
          )
        }
      />
      {(pageInfo.hasNextPage || !isFirst) && (
        <nav className="log-pages" aria-label="Pages of the log">
          <Button small isDisabled={isFirst} onPress={() => go(linkTo('after', undefined))}>
            Newest
          </Button>
          <Button
            small
            isDisabled={!pageInfo.hasNextPage}
            onPress={() => pageInfo.endCursor !== null && go(linkTo('after', pageInfo.endCursor))}
          >
            Older
          </Button>
        </nav>
      )}
    </>
  );
}
