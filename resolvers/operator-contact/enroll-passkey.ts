import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { signedIn } from '../access.ts';
import { query } from '../operation.ts';
import { emailStateOf, findContact, OperatorContactWire, operatorContactToWire, type ShownContact } from './contact.ts';

/**
 * `POST /agent/v1/contact/passkey/enroll`. Contract 02, section 5.1. A read, for as long as it changes nothing: passkeys
 * of operators come with the people's sign-in.
 */
export const enrollPasskey = query({
  name: 'operator.enrollPasskey',
  summary: 'Have a link mailed by which an operator with a verified address enrols a passkey; not offered yet.',
  access: signedIn('wallet', 'control_plane'),
  input: z.object({}),
  async handler({ services, principal }): Promise<ShownContact> {
    const contact = await findContact(services.db, principal.principal.id);
    if (contact === undefined || emailStateOf(contact) !== 'verified')
      throw new ServiceError('OPERATOR_EMAIL_NOT_VERIFIED');
    throw new ServiceError('NOT_IMPLEMENTED', { message: 'Passkeys of operators cannot be enrolled here yet.' });
  },
  wire: OperatorContactWire,
  toWire: operatorContactToWire,
});
