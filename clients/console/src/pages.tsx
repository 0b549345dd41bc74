import { type ComponentType, lazy, type ReactNode } from 'react';
import type { Link } from './graph/link.ts';
import { NotFound } from './pages/not-found.tsx';
import { match } from './router.tsx';
import { session } from './session/session.ts';

type Params = Readonly<Record<string, string>>;

// biome-ignore lint/suspicious/noExplicitAny: each page names the parts of its own pattern, which the table below holds.
type Load = () => Promise<{ default: ComponentType<any> }>;

/** Loads a page's code when the user first opens it. A failed load is tried again the next time. */
function page(load: Load) {
  const again = () =>
    lazy(() =>
      patiently(load).catch((error) => {
        Shown = again();
        throw error;
      }),
    );
  let Shown = again();
  return (params: Params) => <Shown {...params} />;
}

/** How long the page waits for the link to notice that the connection is lost, in milliseconds. */
const doubtMs = 1_000;

/** While the gateway is away, the load of a page waits for it, as its queries do. */
async function patiently(load: Load): ReturnType<Load> {
  try {
    return await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, doubtMs));
    const current = session.get();
    if (current.state === 'in') await isOpen(current.link);
    return load();
  }
}

const isOpen = ({ state }: Link): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (state.get() !== 'open') return;
      stop();
      resolve();
    };
    const stop = state.listen(look);
    look();
  });

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
  ['/design', page(() => import('./pages/design/design.tsx'))],
] as const;

/** Returns the page of an address. */
export function pageOf(path: string): ReactNode {
  for (const [pattern, show] of pages) {
    const params: Params | undefined = match(pattern, path);
    if (params !== undefined) return show(params);
  }
  return <NotFound />;
}
