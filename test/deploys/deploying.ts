import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { keyHolder, send, uploading } from '../content/upload.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** Content as a specification names it. */
export const refOf = (text: string | Buffer, type?: string) => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  size: Buffer.byteLength(text),
  ...(type === undefined ? {} : { content_type: type }),
});

/** Files of a site by path, whose bytes are these texts. */
export const filesOf = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, refOf(text)]));

/** A site as the slice that replaces what there was. */
export const siteOf = (texts: Readonly<Record<string, string>>) => ({ site: { replace: filesOf(texts) } });

/** Somebody who deploys to a project, as clients do it. */
export function deploying(
  service: Pick<Service, 'call'>,
  actor: Actor,
  project: { readonly projectId: string; readonly anonKey: string; readonly serviceKey: string },
  sending: typeof send = send,
) {
  const { projectId } = project;
  const uploads = uploading(service, keyHolder(project.serviceKey));
  const call = (method: string, path: string, body?: object, as: Actor = actor) =>
    service.call<Any>(as, method, path, body === undefined ? {} : { body });
  const reader = withHeaders({ apikey: project.anonKey });

  const plan = (slices: object, more: object = {}, query = '') =>
    call('POST', `/apply/v1/plans${query}`, { spec: { project_id: projectId, ...slices }, ...more });
  const commit = (planId: string, more: object = {}) => call('POST', `/apply/v1/plans/${planId}/commit`, more);
  const read = (path: string) => call('GET', path, undefined, reader);

  /** Uploads texts for the project. */
  async function upload(...texts: readonly (string | Buffer)[]): Promise<void> {
    if (texts.length === 0) return;
    const planned = await uploads.plan(texts.map((text) => ({ sha256: refOf(text).sha256, size: refOf(text).size })));
    for (const { sha256, parts } of planned.body.missing) {
      const text = texts.find((one) => refOf(one).sha256 === sha256)!;
      await sending(parts[0].url, Buffer.from(text as string));
    }
    expect((await uploads.commit(planned.body.plan_id)).status).toBe(200);
  }

  /** Waits for the end of a deploy. */
  const ended = (operationId: string): Promise<Any> =>
    until(async () => {
      const { body } = await read(`/apply/v1/operations/${operationId}`);
      expect(['ready', 'failed', 'rolled_back', 'needs_repair', 'activation_pending']).toContain(body.status);
      return body;
    });

  /** Uploads, plans and commits, and waits for the end. */
  async function deploy(slices: object, texts: readonly (string | Buffer)[] = []): Promise<Any> {
    await upload(...texts);
    const planned = await plan(slices);
    expect(planned.body).toMatchObject({ kind: 'plan_response' });
    const committed = await commit(planned.body.plan_id);
    expect(committed.body).toMatchObject({ operation_id: planned.body.operation_id });
    return ended(committed.body.operation_id);
  }

  /** The same of a site alone. */
  const deploySite = (texts: Readonly<Record<string, string>>) => deploy(siteOf(texts), Object.values(texts));

  return { plan, commit, read, call, upload, ended, deploy, deploySite };
}
