import { addContact } from '../resolvers/contacts/add-contact.ts';
import { type ContactRow, contactWarnings } from '../resolvers/contacts/contact.ts';
import { listContacts } from '../resolvers/contacts/list-contacts.ts';
import { removeContact } from '../resolvers/contacts/remove-contact.ts';
import { builder } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { changeField, readField } from './operation-field.ts';

const ContactRef = builder.objectRef<ContactRow>('EscalationContact').implement({
  description: 'Somebody whom an organization’s escalations page. Being one allows nothing.',
  fields: (t) => ({
    contactId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    email: t.exposeString('email', { description: 'Address that is paged.' }),
    displayName: t.exposeString('displayName', { nullable: true, description: 'What people call the contact.' }),
    level: t.exposeInt('level', { description: 'Place on the ladder, 1 to 10: 1 is paged first.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    warnings: t.stringList({ description: 'What there is to say against it.', resolve: contactWarnings }),
  }),
});

const ContactConnection = builder.connectionObject({ type: ContactRef, name: 'EscalationContactConnection' });

readField('escalationContacts', listContacts, {
  type: ContactConnection,
  paged: true,
  result: (contacts, page) => sliceConnection(contacts, ({ id }) => id, page),
});

changeField('addEscalationContact', addContact, {
  type: ContactRef,
  input: 'Who is to be paged.',
  argument: 'The contact.',
  result: ({ contact }) => contact,
});

changeField('removeEscalationContact', removeContact, {
  type: ContactRef,
  input: 'Who is to be paged no more.',
  argument: 'The contact.',
  ids: { contact: null },
});
