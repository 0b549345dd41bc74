import { Check, CircleDashed, CircleX, Clock, type LucideIcon, TriangleAlert } from 'lucide-react';
import { Badge, type Mood } from '../../design/badge.tsx';
import type { DomainSummary } from './domain-types.ts';

interface Shown {
  readonly name: string;
  readonly mood: Mood;
  readonly icon: LucideIcon;
}

const statuses: Readonly<Record<DomainSummary['status'], Shown>> = {
  ACTION_REQUIRED: { name: 'records missing', mood: 'warn', icon: TriangleAlert },
  WAITING: { name: 'certificate ordered', mood: 'accent', icon: Clock },
  ACTIVE: { name: 'active', mood: 'good', icon: Check },
  NEEDS_REPAIR: { name: 'record drifted', mood: 'warn', icon: TriangleAlert },
  FAILED: { name: 'not served', mood: 'bad', icon: CircleX },
};

/** How a domain stands, in words. */
export function DomainStatus({ status }: Pick<DomainSummary, 'status'>) {
  const { name, mood, icon } = statuses[status];
  return (
    <Badge mood={mood} icon={icon}>
      {name}
    </Badge>
  );
}

const states: Readonly<Record<string, Shown>> = {
  // Of checks.
  passed: { name: 'passed', mood: 'good', icon: Check },
  pending: { name: 'pending', mood: 'accent', icon: Clock },
  failed: { name: 'failed', mood: 'bad', icon: CircleX },
  drifted: { name: 'drifted', mood: 'warn', icon: TriangleAlert },
  blocked: { name: 'waits', mood: 'plain', icon: CircleDashed },
  // Of records.
  present: { name: 'set', mood: 'good', icon: Check },
  missing: { name: 'missing', mood: 'warn', icon: TriangleAlert },
  conflict: { name: 'leads elsewhere', mood: 'bad', icon: CircleX },
};

/** How a record or a check stands, in words. */
export function StandingBadge({ status }: { readonly status: string }) {
  const { name, mood, icon } = states[status] ?? { name: 'not looked at', mood: 'plain' as const, icon: CircleDashed };
  return (
    <Badge mood={mood} icon={icon}>
      {name}
    </Badge>
  );
}
