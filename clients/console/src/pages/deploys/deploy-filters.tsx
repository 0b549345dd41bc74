import { Select } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import type { DeployKind, DeployStatus } from './deploys.graphql.ts';

const statuses: Readonly<Record<string, DeployStatus>> = {
  running: 'RUNNING',
  ready: 'READY',
  failed: 'FAILED',
  rolled_back: 'ROLLED_BACK',
  needs_repair: 'NEEDS_REPAIR',
  waiting: 'ACTIVATION_PENDING',
  planned: 'PLANNING',
};

const statusOptions = [
  { id: 'any', name: 'Any status' },
  { id: 'running', name: 'Running' },
  { id: 'waiting', name: 'Waiting to go live' },
  { id: 'ready', name: 'Ready' },
  { id: 'failed', name: 'Failed' },
  { id: 'rolled_back', name: 'Rolled back' },
  { id: 'needs_repair', name: 'Needs repair' },
  { id: 'planned', name: 'Planned only' },
];

const kinds: Readonly<Record<string, DeployKind>> = {
  deploy: 'DEPLOY',
  promote: 'PROMOTE',
  rehearsal: 'REHEARSAL',
};

const kindOptions = [
  { id: 'any', name: 'Any kind' },
  { id: 'deploy', name: 'Deploys' },
  { id: 'promote', name: 'Promotions' },
  { id: 'rehearsal', name: 'Rehearsals' },
];

/** The status that a filter of the address stands for; null for any. */
export const statusAsked = (id: string): DeployStatus | null => statuses[id] ?? null;

/** The kind that a filter of the address stands for; null for any. */
export const kindAsked = (id: string): DeployKind | null => kinds[id] ?? null;

interface DeployFiltersProps {
  readonly status: string;
  readonly setStatus: (id: string) => void;
  readonly kind: string;
  readonly setKind: (id: string) => void;
}

/** Filters of the list of deploys. */
export const DeployFilters = ({ status, setStatus, kind, setKind }: DeployFiltersProps) => (
  <Filters>
    <Select
      label="Status"
      options={statusOptions}
      value={Object.hasOwn(statuses, status) ? status : 'any'}
      onChange={setStatus}
    />
    <Select label="Kind" options={kindOptions} value={Object.hasOwn(kinds, kind) ? kind : 'any'} onChange={setKind} />
  </Filters>
);
