import type { CallerAuthenticator, CallerPrincipal } from '../kernel/access/caller.ts';
import { setDisplayName } from '../resolvers/accounts/set-display-name.ts';
import { type Identity, whoami } from '../resolvers/accounts/whoami.ts';
import { newestKeyOf } from '../resolvers/vaults/shared/member-keys.ts';
import { builder, pageArgs } from './builder.ts';
import { EncryptionKeyRef } from './encryption-keys.ts';
import { changeField, readField } from './operation-field.ts';
import { MemberConnection, membershipPage } from './orgs.ts';

const PrincipalTypeEnum = builder.enumType('PrincipalType', {
  description: 'What kind of actor a principal is.',
  values: {
    HUMAN: { value: 'human', description: 'A person.' },
    AGENT: { value: 'agent', description: 'A program that acts on its own, known by its wallet.' },
    CI: { value: 'ci', description: 'A build job.' },
  } as const,
});

const PrincipalRef = builder.objectRef<CallerPrincipal>('Principal').implement({
  description: 'Who acts. Authority is never here, only in memberships and grants.',
  fields: (t) => ({
    principalId: t.exposeString('id', { description: 'Native id, `prn_…`.' }),
    type: t.expose('type', { type: PrincipalTypeEnum, description: 'Kind of actor.' }),
    displayName: t.exposeString('displayName', {
      nullable: true,
      description: 'Name for people; null until one is set.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first seen.' }),
  }),
});

const AuthenticatorRef = builder.objectRef<CallerAuthenticator>('Authenticator').implement({
  description: 'How the principal proved itself for this request.',
  fields: (t) => ({
    authenticatorId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    kind: t.exposeString('kind', { description: 'For example `wallet`.' }),
    publicSubject: t.exposeString('publicSubject', { description: 'The public half: a wallet’s lower-case address.' }),
  }),
});

const IdentityRef = builder.objectRef<Identity>('Identity').implement({
  description: 'The principal behind a credential, and where it belongs.',
  fields: (t) => ({
    principal: t.expose('principal', { type: PrincipalRef, description: 'Who the credential stands for.' }),
    authenticator: t.expose('authenticator', {
      type: AuthenticatorRef,
      nullable: true,
      description: 'How it was proven; null for sessions.',
    }),
    encryptionKey: t.field({
      type: EncryptionKeyRef,
      nullable: true,
      description: 'The principal’s newest encryption key, in whichever organization; null without one.',
      resolve: ({ principal }, _args, ctx) => newestKeyOf(ctx, principal.id),
    }),
    memberships: t.field({
      type: MemberConnection,
      description: 'Active memberships, oldest organization first.',
      args: pageArgs,
      resolve: ({ principal, memberships }, page, ctx) => {
        const keys = memberships.map(({ orgId }) => ({ orgId, principalId: principal.id }));
        return membershipPage(ctx, keys, page);
      },
    }),
  }),
});

readField('whoami', whoami, { type: IdentityRef });

changeField('setDisplayName', setDisplayName, {
  type: IdentityRef,
  input: 'What the principal is called.',
  argument: 'The name.',
});
