import { type ConfirmedEmail, confirmEmail } from '../resolvers/operator-contact/confirm-email.ts';
import { enrollPasskey } from '../resolvers/operator-contact/enroll-passkey.ts';
import { getContact } from '../resolvers/operator-contact/get-contact.ts';
import { sendVerification } from '../resolvers/operator-contact/send-verification.ts';
import { setContact } from '../resolvers/operator-contact/set-contact.ts';
import {
  assuranceOf,
  emailStateOf,
  passkeyStateOf,
  retryAfter,
  type ShownContact,
} from '../resolvers/operator-contact/shared/contact.ts';
import { builder } from './builder.ts';
import { changeField, readField } from './operation-field.ts';

const AssuranceEnum = builder.enumType('OperatorAssurance', {
  description: 'How far it is known that a human reads what is sent.',
  values: {
    WALLET_ONLY: { value: 'wallet_only', description: 'No mail address was named.' },
    EMAIL_PENDING: { value: 'email_pending', description: 'The address waits to be verified.' },
    EMAIL_VERIFIED: { value: 'email_verified', description: 'The address was verified.' },
    PASSKEY_PENDING: { value: 'passkey_pending', description: 'A passkey waits to be enrolled.' },
    OPERATOR_PASSKEY: { value: 'operator_passkey', description: 'A passkey is enrolled.' },
  } as const,
});

const StateEnum = builder.enumType('OperatorProofState', {
  description: 'How far a proof has come.',
  values: {
    NONE: { value: 'none', description: 'Not begun.' },
    PENDING: { value: 'pending', description: 'Begun.' },
    VERIFIED: { value: 'verified', description: 'Done.' },
  } as const,
});

const ContactRef = builder.objectRef<ShownContact>('OperatorContact').implement({
  description: 'Whom notices about what a principal runs go to.',
  fields: (t) => ({
    wallet: t.exposeString('wallet', { nullable: true, description: 'Wallet of the principal; null without one.' }),
    name: t.string({ description: 'What people call the contact.', resolve: ({ contact }) => contact.name }),
    email: t.string({ nullable: true, description: 'Mail address.', resolve: ({ contact }) => contact.email }),
    webhook: t.string({
      nullable: true,
      description: 'Where notices are posted, once there is a secret to sign them with.',
      resolve: ({ contact }) => contact.webhook,
    }),
    assurance: t.field({
      type: AssuranceEnum,
      description: 'How far it is known that a human reads what is sent.',
      resolve: ({ contact }) => assuranceOf(contact),
    }),
    emailVerification: t.field({
      type: StateEnum,
      description: 'How far the address is verified.',
      resolve: ({ contact }) => emailStateOf(contact),
    }),
    passkeyBinding: t.field({
      type: StateEnum,
      description: 'How far a passkey is enrolled.',
      resolve: ({ contact }) => passkeyStateOf(contact),
    }),
    emailVerifiedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the address was verified; null until then.',
      resolve: ({ contact }) => contact.emailVerifiedAt,
    }),
    emailChallengeSentAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the link was last mailed.',
      resolve: ({ contact }) => contact.emailChallengeSentAt,
    }),
    emailVerifiedMessageId: t.string({
      nullable: true,
      description: 'The mail whose link verified the address; null until then.',
      resolve: ({ contact }) => contact.emailVerifiedMessageId,
    }),
    verificationRetryAfterSeconds: t.int({
      nullable: true,
      description: 'Seconds until another link may be asked for, while one is waited for; null when it may be at once.',
      resolve: ({ contact }, _args, { services }) => {
        const wait = retryAfter(contact, services.now());
        return wait > 0 ? wait : null;
      },
    }),
    passkeyBoundAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When a passkey was enrolled; null until then.',
      resolve: ({ contact }) => contact.passkeyBoundAt,
    }),
    activeOperatorPasskeyId: t.string({
      nullable: true,
      description: 'The passkey that is enrolled; null without one.',
      resolve: ({ contact }) => contact.activePasskeyId,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it was last changed.',
      resolve: ({ contact }) => contact.updatedAt,
    }),
  }),
});

const ConfirmedRef = builder.objectRef<ConfirmedEmail>('ConfirmedOperatorEmail').implement({
  description: 'An address that was verified.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'The address.' }),
    verifiedAt: t.expose('verifiedAt', { type: 'DateTime', description: 'When it was verified.' }),
  }),
});

readField('operatorContact', getContact, { type: ContactRef });

changeField('setOperatorContact', setContact, {
  type: ContactRef,
  input: 'Whom notices go to.',
  argument: 'The contact.',
});

changeField('sendOperatorVerification', sendVerification, {
  type: ContactRef,
  input: 'The caller’s own contact.',
  argument: 'Nothing in particular.',
});

changeField('confirmOperatorEmail', confirmEmail, {
  type: ConfirmedRef,
  input: 'The link that was mailed.',
  argument: 'The link.',
  key: false,
});

changeField('enrollOperatorPasskey', enrollPasskey, {
  type: ContactRef,
  input: 'The caller’s own contact.',
  argument: 'Nothing in particular.',
});
