import { randomUUID } from 'node:crypto';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { Service } from '../helpers/service.ts';

/** What tests of escalations ask of an organization. */
export function escalationsOf(service: Service) {
  const call = documentedCalls(service);
  const { actors, control } = service;

  /** A wallet that belongs to nobody yet, and its principal. */
  async function newcomer() {
    const wallet = actors.wallet();
    const me = await call(wallet, 'GET', '/agent/v1/whoami');
    return { wallet, principalId: me.body.principal.id as string };
  }

  return {
    call,
    newcomer,
    /** A member in a role. */
    async member(orgId: string, role = 'viewer') {
      const one = await newcomer();
      await actors.member(orgId, one.principalId, role);
      return one;
    },
    /** A wallet that holds a grant, and is no member. */
    async holder(orgId: string, projectId: string, capability = 'deploy') {
      const one = await newcomer();
      await control.sql(
        'insert into project_grants (org_id, id, project_id, principal_id, capability) values ($1, $2, $3, $4, $5)',
        [orgId, randomUUID(), projectId, one.principalId, capability],
      );
      return one;
    },
    raise: (actor: Actor, orgId: string, body: object = {}) =>
      call(actor, 'POST', `/orgs/v1/${orgId}/escalations`, { body: { reason: 'look', ...body } }),
    get: (actor: Actor, orgId: string, id: string, search = '') =>
      call(actor, 'GET', `/orgs/v1/${orgId}/escalations/${id}${search}`),
    list: (actor: Actor, orgId: string, search = '') => call(actor, 'GET', `/orgs/v1/${orgId}/escalations${search}`),
    answer: (actor: Actor, orgId: string, id: string, verb: 'ack' | 'resolve', body: object = {}) =>
      call(actor, 'POST', `/orgs/v1/${orgId}/escalations/${id}/${verb}`, { body }),
    contact: (actor: Actor, orgId: string, body: object) =>
      call(actor, 'POST', `/orgs/v1/${orgId}/escalation-contacts`, { body }),

    /** Makes a deadline lapse by the database's clock, and has the ladder look. */
    async lapse(id: string) {
      await control.sql(
        `update escalations set due_at = now() - interval '1 second' where id = $1 and due_at is not null`,
        [id],
      );
      await control.sql(`select graphile_worker.add_job('sweep-escalations', job_key => 'escalation:' || $1::text)`, [
        id,
      ]);
    },
    /** The pages of an escalation, oldest wave first. */
    pages: (id: string) =>
      control.sql<{ wave: number; level: number; email: string; mail_id: string }>(
        'select wave, level, email, mail_id from escalation_pages where escalation_id = $1 order by wave, email',
        [id],
      ),
    /** What the link of somebody's newest page brings along, as its mail has it. */
    async token(id: string, email: string): Promise<string> {
      const [mail] = await control.sql<{ body_text: string }>(
        `select m.body_text from mail_outbox m join escalation_pages p on p.mail_id = m.id
         where p.escalation_id = $1 and p.email = $2 order by p.wave desc limit 1`,
        [id, email],
      );
      return /\?token=([\w-]+)/.exec(mail!.body_text)![1]!;
    },
  };
}
