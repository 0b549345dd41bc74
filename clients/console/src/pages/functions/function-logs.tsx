import { ScrollText, SearchX } from 'lucide-react';
import { useState } from 'react';
import { ErrorNote } from '../../design/error-note.tsx';
import { Select, Switch, TextField } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { useSearch } from '../../search.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { LogLines } from './log-lines.tsx';
import { useFunctionLines } from './use-function-lines.ts';

const levels = [
  { id: 'any', name: 'All output' },
  { id: 'stderr', name: 'Errors alone' },
  { id: 'stdout', name: 'Without errors' },
];
const streams: Readonly<Record<string, 'STDERR' | 'STDOUT'>> = { stderr: 'STDERR', stdout: 'STDOUT' };

const times = [
  { id: 'any', name: 'Any time', agoMs: undefined },
  { id: 'quarter', name: 'Last 15 minutes', agoMs: 900_000 },
  { id: 'hour', name: 'Last hour', agoMs: 3_600_000 },
  { id: 'day', name: 'Last day', agoMs: 86_400_000 },
] as const;

const isCall = (text: string): boolean => /^(req|fnrun|fnatt)_[A-Za-z0-9_-]{4,128}$/.test(text);

/** What a function prints. The address holds the filters. */
export function FunctionLogs({ project, name }: { readonly project: string; readonly name: string }) {
  const [level, setLevel] = useSearch('level', 'any');
  const [time, setTime] = useSearch('since', 'any');
  const [live, setLive] = useSearch('live', 'on');
  const call = useTypedSearch('call');
  const isOff = call.applied !== '' && !isCall(call.applied);
  const since = useMomentBefore(times.find(({ id }) => id === time)?.agoMs);
  const wanted = {
    project,
    name,
    requestId: call.applied === '' || isOff ? null : call.applied,
    stream: streams[level] ?? null,
  };
  const { lines, error, again } = useFunctionLines(wanted, since, live === 'on');
  const isFiltered = wanted.requestId !== null || wanted.stream !== null || since !== undefined;
  const here = new URLSearchParams({ tab: 'logs' });
  return (
    <>
      <Filters
        end={
          <Switch isSelected={live === 'on'} onChange={(on) => setLive(on ? 'on' : 'off', { replace: true })}>
            Follow
          </Switch>
        }
      >
        <Select label="Level" options={levels} value={level in streams ? level : 'any'} onChange={setLevel} />
        <TextField
          label="Request or run"
          placeholder="req_… or fnrun_…"
          value={call.typed}
          onChange={call.type}
          fault={isOff ? 'An id begins with req_ or fnrun_.' : undefined}
          autoComplete="off"
          spellCheck="false"
        />
        <Select
          label="Since"
          options={times}
          value={times.find(({ id }) => id === time)?.id ?? 'any'}
          onChange={setTime}
        />
      </Filters>
      <ErrorNote error={error} retry={again} />
      {lines === undefined ? (
        error === undefined && <Skeleton lines={6} />
      ) : lines.length === 0 ? (
        isFiltered ? (
          <State icon={SearchX} title="No line fits">
            Take a filter away, or look further back.
          </State>
        ) : (
          <State icon={ScrollText} title="Nothing printed yet">
            What the function prints by <code>console.log</code> shows here, and is kept for 14 days.
          </State>
        )
      ) : (
        <LogLines
          lines={lines}
          linkOf={(requestId) => {
            here.set('call', requestId);
            return `/projects/${project}/functions/${name}?${here}`;
          }}
        />
      )}
    </>
  );
}

/** A moment so long ago, the same until another length is asked for: each moment would be another query. */
function useMomentBefore(agoMs: number | undefined): string | undefined {
  const of = () => ({ agoMs, at: agoMs === undefined ? undefined : new Date(Date.now() - agoMs).toISOString() });
  const [moment, setMoment] = useState(of);
  if (moment.agoMs === agoMs) return moment.at;
  const next = of();
  setMoment(next);
  return next.at;
}
