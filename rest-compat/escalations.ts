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
import { route } from './route.ts';

const all = '/orgs/v1/:org_id/escalations';
const one = `${all}/:escalation_id`;
const contacts = '/orgs/v1/:org_id/escalation-contacts';

/** Paths of escalations and of whom they page. Contract 02, section 3. */
export const escalationRoutes = [
  route(
    'POST',
    all,
    { usual: 201, of: ({ deduplicated }: RaisedEscalation) => (deduplicated ? 200 : 201) },
    raiseEscalation,
  ),
  route('GET', all, 200, listEscalations, { after: ['query cursor', 'query after'], before: null, from_end: null }),
  route('GET', one, 200, getEscalation),
  route('POST', `${one}/ack`, 200, acknowledgeEscalation),
  route('POST', `${one}/resolve`, 200, resolveEscalation),
  route('POST', ackPath, 200, acknowledgeByToken),
  route('GET', contacts, 200, listContacts),
  route('POST', contacts, { usual: 201, of: ({ created }: AddedContact) => (created ? 201 : 200) }, addContact),
  route('DELETE', `${contacts}/:contact_id`, 200, removeContact),
];
