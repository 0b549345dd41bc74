import { walletSigner } from '../wallet-signer.ts';
import type { PageConfig } from './page-config.ts';

const table = `create table notes (
  id uuid primary key default gen_random_uuid(),
  owner uuid not null,
  body text not null check (length(body) between 1 and 2000),
  created_at timestamptz not null default now()
)`;

/** Everybody reads and writes their own notes and no others, and hears of changes to them. */
const manifest = {
  version: '1',
  tables: [
    {
      name: 'notes',
      expose: true,
      policy: 'user_owns_rows',
      owner_column: 'owner',
      force_owner_on_insert: true,
      live: true,
    },
  ],
};

/** Makes an organization of a fresh wallet's, and in it a project with a table for notes. @throws what was refused */
export async function createNotesProject(apiBase: string): Promise<PageConfig> {
  const { authorize } = walletSigner(apiBase);
  const call = async (path: string, headers: Record<string, string>, body: unknown) => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(apiBase + path, { ...request, body: JSON.stringify(body) });
    const answer = (await response.json()) as Record<string, string>;
    if (!response.ok) throw new Error(`${path} was refused: ${answer.code} ${answer.message}`);
    return answer;
  };
  const asWallet = async (path: string, body: unknown) => call(path, await authorize(path), body);

  const { org_id } = await asWallet('/orgs/v1', { display_name: 'Notes' });
  const { project_id, anon_key, service_key } = await asWallet('/projects/v1', { org_id, name: 'Notes' });
  // The service key may do everything in the project: it stays here, and never reaches the page.
  const asService = (path: string, body: unknown) =>
    call(`/projects/v1/admin/${project_id}${path}`, { authorization: `Bearer ${service_key}` }, body);
  await asService('/sql', { sql: table });
  await asService('/expose', manifest);
  return { apiBase, projectId: project_id!, anonKey: anon_key! };
}
