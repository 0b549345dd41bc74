import { domain } from '../../kernel/run/domain.ts';
import { addContact } from './add-contact.ts';
import { listContacts } from './list-contacts.ts';
import { removeContact } from './remove-contact.ts';

export const contacts = domain('contacts', {
  operations: [listContacts, addContact, removeContact],
});
