import { dropNulls } from '../core/drop-nulls.ts';
import { addContact } from '../resolvers/contacts/add-contact.ts';
import { type ContactRow, contactWarnings } from '../resolvers/contacts/contact.ts';
import { listContacts } from '../resolvers/contacts/list-contacts.ts';
import { removeContact } from '../resolvers/contacts/remove-contact.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { run } from './run.ts';

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

builder.queryField('escalationContacts', (t) =>
  t.field({
    type: ContactConnection,
    nullable: true,
    ...fieldOf(listContacts),
    authScopes: { credential: true },
    args: { org: t.arg.id({ description: 'Organization, by global or native id.' }), ...pageArgs },
    resolve: async (_root, { org, ...page }, ctx) =>
      sliceConnection(await run(listContacts, ctx, { org: nativeId('Organization', org) }), ({ id }) => id, page),
  }),
);

const AddContactInput = builder.inputType('AddEscalationContactInput', {
  description: 'Who is to be paged.',
  fields: (t) => ({
    ...orgField(t),
    email: t.string({ description: 'Address to page.' }),
    displayName: t.string({ required: false, description: 'What people call the contact.' }),
    level: t.int({ required: false, description: 'Place on the ladder, 1 to 10; 1 unless told.' }),
    ...keyField(t),
  }),
});

const RemoveContactInput = builder.inputType('RemoveEscalationContactInput', {
  description: 'Who is to be paged no more.',
  fields: (t) => ({ ...orgField(t), contact: t.id({ description: 'Contact, a UUID.' }), ...keyField(t) }),
});

builder.mutationFields((t) => ({
  addEscalationContact: t.field({
    type: ContactRef,
    nullable: true,
    ...fieldOf(addContact),
    authScopes: { credential: true },
    args: { input: t.arg({ type: AddContactInput, description: 'The contact.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, idempotencyKey, displayName, ...rest } = dropNulls(input);
      const given = { org: nativeId('Organization', org), ...rest, ...dropNulls({ display_name: displayName }) };
      return (await run(addContact, keyed(ctx, idempotencyKey), given)).contact;
    },
  }),
  removeEscalationContact: t.field({
    type: ContactRef,
    nullable: true,
    ...fieldOf(removeContact),
    authScopes: { credential: true },
    args: { input: t.arg({ type: RemoveContactInput, description: 'The contact.' }) },
    resolve: (_root, { input: { org, contact, idempotencyKey } }, ctx) =>
      run(removeContact, keyed(ctx, idempotencyKey ?? undefined), { org: nativeId('Organization', org), contact }),
  }),
}));
