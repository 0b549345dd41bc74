import { type AddedContact, addContact } from '../resolvers/contacts/add-contact.ts';
import { listContacts } from '../resolvers/contacts/list-contacts.ts';
import { removeContact } from '../resolvers/contacts/remove-contact.ts';
import { acknowledgeByToken } from '../resolvers/escalations/acknowledge-by-token.ts';
import { acknowledgeEscalation } from '../resolvers/escalations/acknowledge-escalation.ts';
import { getEscalation } from '../resolvers/escalations/get-escalation.ts';
import { listEscalations } from '../resolvers/escalations/list-escalations.ts';
import { ackPath } from '../resolvers/escalations/page-mail.ts';
import { type RaisedEscalation, raiseEscalation } from '../resolvers/escalations/raise-escalation.ts';
import { resolveEscalation } from '../resolvers/escalations/resolve-escalation.ts';
import { type RestRequest, route } from './route.ts';

const all = '/orgs/v1/:org_id/escalations';
const one = `${all}/:escalation_id`;
const contacts = '/orgs/v1/:org_id/escalation-contacts';

const org = ({ params }: RestRequest) => ({ org: params.org_id });
const address = ({ params }: RestRequest) => ({ org: params.org_id, escalation: params.escalation_id });

/** Paths of escalations and of whom they page. Contract 02, section 3. */
export const escalationRoutes = [
  route(
    'POST',
    all,
    { usual: 201, of: ({ deduplicated }: RaisedEscalation) => (deduplicated ? 200 : 201) },
    raiseEscalation,
    (request) => ({
      ...org(request),
      reason: request.body.reason,
      severity: request.body.severity,
      project_id: request.body.project_id,
      presence_name: request.body.presence_name,
      details: request.body.details,
      idempotency_key: request.body.idempotency_key,
    }),
  ),
  route('GET', all, 200, listEscalations, (request) => ({
    ...org(request),
    status: request.query.status,
    limit: request.query.limit,
    after: request.query.cursor ?? request.query.after,
  })),
  route('GET', one, 200, getEscalation, (request) => ({ ...address(request), include: request.query.include })),
  route('POST', `${one}/ack`, 200, acknowledgeEscalation, address),
  route('POST', `${one}/resolve`, 200, resolveEscalation, (request) => ({
    ...address(request),
    note: request.body.note,
  })),
  route('POST', ackPath, 200, acknowledgeByToken, ({ body }) => ({ token: body.token })),
  route('GET', contacts, 200, listContacts, org),
  route(
    'POST',
    contacts,
    { usual: 201, of: ({ created }: AddedContact) => (created ? 201 : 200) },
    addContact,
    (request) => ({
      ...org(request),
      email: request.body.email,
      display_name: request.body.display_name,
      level: request.body.level,
    }),
  ),
  route('DELETE', `${contacts}/:contact_id`, 200, removeContact, (request) => ({
    ...org(request),
    contact: request.params.contact_id,
  })),
];
