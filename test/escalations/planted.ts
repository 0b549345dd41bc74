import { randomBytes, randomUUID } from 'node:crypto';
import { sha256Hex } from '../../core/keys.ts';
import type { ControlDatabase } from '../helpers/control-database.ts';

// What tests of one operation find there without the others: rows as these would have written them.

type Control = Pick<ControlDatabase, 'sql'>;

/** An open escalation that somebody else raised, and whose ladder rests. @returns its id */
export async function newEscalation(control: Control, orgId: string, raisedBy = 'prn_somebody'): Promise<string> {
  const id = randomUUID();
  await control.sql(
    `insert into escalations (org_id, id, raised_by, severity, reason, details, level, deadline_at)
     values ($1, $2, $3, 'normal', 'look', '{}', 1, now() + interval '2 hours')`,
    [orgId, id, raisedBy],
  );
  return id;
}

/** A page of an open escalation to a contact, with what its link brings along. */
export async function tokenOfPage(control: Control, orgId: string) {
  const escalationId = await newEscalation(control, orgId);
  const [contactId, token] = [randomUUID(), randomBytes(32).toString('base64url')];
  const email = `${contactId}@example.com`;
  await control.sql('insert into escalation_contacts (org_id, id, email, level) values ($1, $2, $3, 1)', [
    orgId,
    contactId,
    email,
  ]);
  await control.sql(
    `insert into escalation_pages
      (org_id, escalation_id, wave, contact_id, email, level, token_hash, token_expires_at, mail_id)
     values ($1, $2, 1, $3, $4, 1, $5, now() + interval '1 day', $6)`,
    [orgId, escalationId, contactId, email, sha256Hex(token), `mail_${randomUUID()}`],
  );
  return { escalationId, contactId, email, token };
}

/** A contact of a new principal whose address waits to be verified. @returns what its link brings along */
export async function newChallenge(control: Control, principalId = `prn_${randomUUID()}`): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const email = `${randomUUID()}@example.com`;
  await control.sql(`insert into principals (id, type) values ($1, 'agent') on conflict do nothing`, [principalId]);
  await control.sql(`insert into operator_contacts (principal_id, name, email) values ($1, 'Ada', $2)`, [
    principalId,
    email,
  ]);
  await control.sql(
    `insert into operator_contact_challenges (id, principal_id, email, token_hash, mail_id, expires_at)
     values ($1, $2, $3, $4, 'mail_x', now() + interval '1 day')`,
    [randomUUID(), principalId, email, sha256Hex(token)],
  );
  return token;
}
