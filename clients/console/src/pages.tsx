import type { ComponentType, ReactNode } from 'react';
import { Loading } from './design/loaded.tsx';
import { lazyCode } from './lazy-code.tsx';
import { isReplaced, loadCode } from './load-code.ts';
import { NotFound } from './pages/not-found.tsx';
import { match } from './router.tsx';

type Params = Readonly<Record<string, string>>;

// biome-ignore lint/suspicious/noExplicitAny: each page names the parts of its own pattern, which the table below holds.
type Load = () => Promise<{ default: ComponentType<any> }>;

/** Loads a page's code when the user first opens it. A failed load is tried again the next time. */
function page(load: Load) {
  const Shown = lazyCode(() => patiently(load), <Loading />);
  return (params: Params) => <Shown {...params} />;
}

/** Where the gateway has another build, the whole document is loaded again at the page's address: the page holds no text yet. */
const patiently = (load: Load): ReturnType<Load> =>
  loadCode(load).catch((error) => {
    if (!isReplaced.get()) throw error;
    location.reload();
    return new Promise(() => undefined);
  });

const pages = [
  ['/', page(() => import('./pages/overview/overview.tsx'))],
  ['/orgs', page(() => import('./pages/organizations/organizations.tsx'))],
  ['/orgs/:org', page(() => import('./pages/organization/organization.tsx'))],
  ['/orgs/:org/events', page(() => import('./pages/events/events.tsx'))],
  ['/orgs/:org/rooms', page(() => import('./pages/rooms/rooms.tsx'))],
  ['/orgs/:org/rooms/:room', page(() => import('./pages/room/room.tsx'))],
  ['/orgs/:org/escalations', page(() => import('./pages/escalations/escalations.tsx'))],
  ['/orgs/:org/escalations/:escalation', page(() => import('./pages/escalation/escalation.tsx'))],
  ['/orgs/:org/channels', page(() => import('./pages/channels/channels.tsx'))],
  ['/orgs/:org/channels/:route', page(() => import('./pages/channels/channel.tsx'))],
  ['/projects/:project', page(() => import('./pages/project/project.tsx'))],
  ['/projects/:project/tables', page(() => import('./pages/tables/tables.tsx'))],
  ['/projects/:project/sql', page(() => import('./pages/sql/sql.tsx'))],
  ['/projects/:project/users', page(() => import('./pages/users/users.tsx'))],
  ['/projects/:project/access', page(() => import('./pages/access/access.tsx'))],
  ['/projects/:project/api', page(() => import('./pages/api/api.tsx'))],
  ['/projects/:project/functions', page(() => import('./pages/functions/functions.tsx'))],
  ['/projects/:project/functions/:name', page(() => import('./pages/functions/function.tsx'))],
  ['/projects/:project/functions/:name/runs/:run', page(() => import('./pages/functions/run.tsx'))],
  ['/projects/:project/logs', page(() => import('./pages/logs/logs.tsx'))],
  ['/projects/:project/errors', page(() => import('./pages/errors/errors.tsx'))],
  ['/projects/:project/errors/:fingerprint', page(() => import('./pages/error/error.tsx'))],
  ['/projects/:project/deploys', page(() => import('./pages/deploys/deploys.tsx'))],
  ['/projects/:project/deploys/:deploy', page(() => import('./pages/deploys/deploy.tsx'))],
  ['/projects/:project/site', page(() => import('./pages/site/site.tsx'))],
  ['/projects/:project/storage', page(() => import('./pages/storage/storage.tsx'))],
  ['/projects/:project/domains', page(() => import('./pages/domains/domains.tsx'))],
  ['/projects/:project/domains/:domain', page(() => import('./pages/domains/domain.tsx'))],
  ['/projects/:project/ci', page(() => import('./pages/ci/ci.tsx'))],
  ['/projects/:project/branches', page(() => import('./pages/branches/branches.tsx'))],
  ['/projects/:project/archives', page(() => import('./pages/archives/archives.tsx'))],
  ['/projects/:project/versions', page(() => import('./pages/versions/versions.tsx'))],
  ['/projects/:project/snapshots', page(() => import('./pages/snapshots/snapshots.tsx'))],
  ['/projects/:project/mail', page(() => import('./pages/mail/mail.tsx'))],
  ['/projects/:project/mail/:message', page(() => import('./pages/mail/message.tsx'))],
  ['/projects/:project/jobs', page(() => import('./pages/jobs/jobs.tsx'))],
  ['/projects/:project/jobs/:job', page(() => import('./pages/jobs/job.tsx'))],
  ['/projects/:project/signers', page(() => import('./pages/signers/signers.tsx'))],
  ['/projects/:project/ai', page(() => import('./pages/ai/ai.tsx'))],
  ['/projects/:project/secrets', page(() => import('./pages/secrets/secrets.tsx'))],
  ['/projects/:project/keys', page(() => import('./pages/project-keys/keys.tsx'))],
  ['/projects/:project/sharing', page(() => import('./pages/project-sharing/sharing.tsx'))],
  ['/projects/:project/settings', page(() => import('./pages/project-settings/settings.tsx'))],
  ['/installation', page(() => import('./pages/installation/organizations.tsx'))],
  ['/installation/limits', page(() => import('./pages/installation/limits.tsx'))],
  ['/installation/incidents', page(() => import('./pages/installation/incidents.tsx'))],
  ['/installation/nodes', page(() => import('./pages/installation/nodes.tsx'))],
  ['/installation/backups', page(() => import('./pages/installation/backups.tsx'))],
  ['/installation/feedback', page(() => import('./pages/installation/feedback.tsx'))],
  ['/installation/outbox', page(() => import('./pages/installation/outbox.tsx'))],
  ['/apps', page(() => import('./pages/apps/apps.tsx'))],
  ['/apps/:version', page(() => import('./pages/apps/app.tsx'))],
  ['/transfers', page(() => import('./pages/transfers/transfers.tsx'))],
  ['/transfers/:transfer', page(() => import('./pages/transfers/transfer.tsx'))],
  ['/audits', page(() => import('./pages/audits/audits.tsx'))],
  ['/you', page(() => import('./pages/you/you.tsx'))],
  ['/you/notices', page(() => import('./pages/notices/notices.tsx'))],
  ['/design', page(() => import('./pages/design/design.tsx'))],
] as const;

/** Earlier addresses, which bookmarks and mails may hold, with what they lead to. */
const moved = [
  ['/outbox', () => '/installation/outbox'],
  ['/projects/:project/rows', ({ project }: Params) => `/projects/${project}/tables`],
] as const;

/** The address that a path leads to: itself, or another one where the page has moved. */
export function addressOf(path: string): string {
  for (const [pattern, to] of moved) {
    const params = match(pattern, path);
    if (params !== undefined) return to(params);
  }
  return path;
}

/** Returns the page of an address. */
export function pageOf(path: string): ReactNode {
  for (const [pattern, show] of pages) {
    const params: Params | undefined = match(pattern, path);
    if (params !== undefined) return show(params);
  }
  return <NotFound />;
}
