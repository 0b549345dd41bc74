import { type ComponentType, lazy, type ReactNode } from 'react';
import { NotFound } from './pages/not-found.tsx';
import { match } from './router.tsx';

type Params = Readonly<Record<string, string>>;

/** A page is loaded when it is first gone to. */
// biome-ignore lint/suspicious/noExplicitAny: each page names the parts of its own pattern, which the table below holds.
const page = (load: () => Promise<{ default: ComponentType<any> }>) => lazy(load);

const pages = [
  ['/', page(() => import('./pages/overview.tsx'))],
  ['/orgs', page(() => import('./pages/organizations.tsx'))],
  ['/orgs/:org', page(() => import('./pages/organization.tsx'))],
  ['/orgs/:org/events', page(() => import('./pages/events.tsx'))],
  ['/orgs/:org/rooms', page(() => import('./pages/rooms.tsx'))],
  ['/orgs/:org/rooms/:room', page(() => import('./pages/room.tsx'))],
  ['/orgs/:org/escalations', page(() => import('./pages/escalations.tsx'))],
  ['/orgs/:org/escalations/:escalation', page(() => import('./pages/escalation.tsx'))],
  ['/projects/:project', page(() => import('./pages/project.tsx'))],
  ['/projects/:project/rows', page(() => import('./pages/rows.tsx'))],
  ['/projects/:project/errors', page(() => import('./pages/errors.tsx'))],
  ['/projects/:project/errors/:fingerprint', page(() => import('./pages/error.tsx'))],
  ['/audits', page(() => import('./pages/audits.tsx'))],
  ['/outbox', page(() => import('./pages/outbox.tsx'))],
  ['/you', page(() => import('./pages/you.tsx'))],
] as const;

/** The page of an address. */
export function pageOf(path: string): ReactNode {
  for (const [pattern, Shown] of pages) {
    const params: Params | undefined = match(pattern, path);
    if (params !== undefined) return <Shown {...params} />;
  }
  return <NotFound />;
}
