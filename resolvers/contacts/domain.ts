import { domain } from '../../kernel/run/domain.ts';
import { addContact } from './add-contact.ts';
import { listContacts } from './list-contacts.ts';
import { removeContact } from './remove-contact.ts';
import { contactActions } from './shared/actions.ts';

export const contacts = domain('contacts', {
  actions: contactActions,
  operations: [listContacts, addContact, removeContact],
});
