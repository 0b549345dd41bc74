import { readFile } from 'node:fs/promises';
import { walletSigner } from '../wallet-signer.ts';
import type { PageConfig } from './page-config.ts';

/** The table, and the manifest that says who may do what with it, as `svc up` would deploy them. */
const table = await readFile(new URL('migrations/001_notes.sql', import.meta.url), 'utf8');
const app = JSON.parse(await readFile(new URL('svc.json', import.meta.url), 'utf8')) as {
  readonly release: { readonly database: { readonly expose: object } };
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
  await asService('/expose', app.release.database.expose);
  return { project_id: project_id!, api_base: apiBase, anon_key: anon_key! };
}
