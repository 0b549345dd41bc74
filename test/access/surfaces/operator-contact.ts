import { newChallenge } from '../../escalations/planted.ts';
import type { Stage, Surfaces } from './surface.ts';

export const operatorContactSurfaces = ({ service, params }: Stage): Surfaces => {
  const { control } = service;
  const bare = async () => {
    await control.sql('delete from operator_contact_challenges');
    await control.sql('delete from operator_contacts');
    return undefined;
  };
  /** Everybody here has a contact, with an address that is not verified. */
  const named = async () => {
    await bare();
    await control.sql(`insert into operator_contacts (principal_id, name, email)
      select id, 'Ada', 'ada@example.com' from principals`);
    return undefined;
  };
  return {
    'POST /agent/v1/contact': {
      cells: 'A + + F A A A A',
      prepare: bare,
      body: () => ({ name: 'Ada', email: 'ada@example.com' }),
      field: () => 'mutation { setOperatorContact(input: { name: "Ada", email: "ada@example.com" }) { name } }',
    },
    'GET /agent/v1/contact/status': {
      cells: 'A + + + A A A A',
      prepare: named,
      field: () => '{ operatorContact { name } }',
    },
    'POST /agent/v1/contact/verify-email': {
      cells: 'A + + F A A A A',
      prepare: named,
      field: () => 'mutation { sendOperatorVerification(input: {}) { name } }',
    },
    'POST /agent/v1/contact/verify-email/confirm': {
      addition: { status: 200, reason: 'what the mailed link leads to, until mail can be answered' },

      cells: '+ + + F + + + +',
      prepare: async () => {
        await bare();
        return { token: await newChallenge(control) };
      },
      body: () => ({ token: params.token }),
      field: () => `mutation { confirmOperatorEmail(input: { token: "${params.token}" }) { email } }`,
    },
    'GET /agent/v1/operator/overview': {
      cells: 'A + + + A A A A',
      field: () => '{ operatorOverview { scope { kind } rollup { organizations projects wallets advisories } } }',
    },
    'GET /agent/v1/operator/projects': {
      cells: 'A + + + A A A A',
      field: () => '{ operatorProjects { projects { edges { node { name } } } } }',
    },
    'GET /agent/v1/operator/projects/:id/contents': {
      cells: 'A + + + N N A N',
      field: () => `{ operatorProjectContents(project: "${params.id}") { tables } }`,
    },
    'GET /agent/v1/operator/status': {
      cells: 'A + + + A A A A',
      field: () => '{ operatorStatus { emailStatus } }',
    },
    // Nobody has an address that was verified, and there is no provider of chats.
    'POST /agent/v1/contact/passkey/enroll': {
      cells: 'A V V F A A A A',
      prepare: named,
      field: () => 'mutation { enrollOperatorPasskey(input: {}) { name } }',
    },
    'POST /agent/v1/notifications/channels/chat': {
      cells: 'A C C A A A A A',
      field: () => 'mutation { connectChat(input: {}) { bindingId } }',
    },
  };
};
