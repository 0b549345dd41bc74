import { getContents } from '../resolvers/operator/get-contents.ts';
import { confirmEmail } from '../resolvers/operator-contact/confirm-email.ts';
import { enrollPasskey } from '../resolvers/operator-contact/enroll-passkey.ts';
import { getContact } from '../resolvers/operator-contact/get-contact.ts';
import { confirmPath } from '../resolvers/operator-contact/send-challenge.ts';
import { sendVerification } from '../resolvers/operator-contact/send-verification.ts';
import { setContact } from '../resolvers/operator-contact/set-contact.ts';
import { route } from './route.ts';

const contact = '/agent/v1/contact';

/** Paths of whom notices go to. Contract 02, sections 5.1 and 5.3. */
export const operatorContactRoutes = [
  route('POST', contact, 200, setContact),
  route('GET', `${contact}/status`, 200, getContact),
  route('POST', `${contact}/verify-email`, 200, sendVerification),
  route('POST', confirmPath, 200, confirmEmail),
  route('POST', `${contact}/passkey/enroll`, 200, enrollPasskey),
  route('GET', '/agent/v1/operator/projects/:id/contents', 200, getContents, { project: 'path id' }),
];
