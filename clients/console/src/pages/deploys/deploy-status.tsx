import { Check, CircleDashed, CircleX, Clock, type LucideIcon, RefreshCw, TriangleAlert, Undo2 } from 'lucide-react';
import { Badge, type Mood } from '../../design/badge.tsx';

interface Shown {
  readonly name: string;
  readonly mood: Mood;
  readonly icon: LucideIcon;
}

const running = (name: string): Shown => ({ name, mood: 'accent', icon: RefreshCw });

const shown: Readonly<Record<string, Shown>> = {
  planning: { name: 'planned', mood: 'plain', icon: CircleDashed },
  uploading: { name: 'uploading', mood: 'plain', icon: CircleDashed },
  running: running('rehearsing'),
  committing: running('starting'),
  staging: running('staging'),
  gating: running('closing the gate'),
  migrating: running('migrating'),
  activating: running('going live'),
  schema_settling: { name: 'schema settles', mood: 'warn', icon: Clock },
  activation_pending: { name: 'waits to go live', mood: 'warn', icon: Clock },
  needs_repair: { name: 'needs repair', mood: 'bad', icon: TriangleAlert },
  ready: { name: 'ready', mood: 'good', icon: Check },
  failed: { name: 'failed', mood: 'bad', icon: CircleX },
  rolled_back: { name: 'rolled back', mood: 'warn', icon: Undo2 },
};

/** States in which a deploy goes on by itself. */
const atWork: readonly string[] = [
  'running',
  'committing',
  'staging',
  'gating',
  'migrating',
  'activating',
  'schema_settling',
];

export const isAtWork = (status: string): boolean => atWork.includes(status);

/** Whether the deploy waits after its migrations, and can be told to go on. */
export const isWaiting = (status: string): boolean => status === 'activation_pending' || status === 'schema_settling';

/** How a deploy stands, in words. */
export function DeployStatus({ status }: { readonly status: string }) {
  const { name, mood, icon } = shown[status] ?? { name: status, mood: 'plain' as const, icon: CircleDashed };
  return (
    <Badge mood={mood} icon={icon}>
      {name}
    </Badge>
  );
}
