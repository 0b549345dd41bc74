import { newEscalation, tokenOfPage } from '../../escalations/planted.ts';
import type { Stage, Surfaces } from './surface.ts';

export const escalationSurfaces = ({ service, params }: Stage): Surfaces => {
  const { control } = service;
  const all = '/orgs/v1/:org_id/escalations';
  const contacts = '/orgs/v1/:org_id/escalation-contacts';
  const org = () => `org: "${params.org_id}"`;
  const one = () => `${org()}, escalation: "${params.escalation_id}"`;
  const escalation = async () => ({ escalation_id: await newEscalation(control, params.org_id!) });
  const token = async () => ({ token: (await tokenOfPage(control, params.org_id!)).token });
  const contact = async () => {
    const { contactId } = await tokenOfPage(control, params.org_id!);
    return { contact_id: contactId };
  };
  return {
    [`POST ${all}`]: {
      cells: 'A + + F + N A F',
      body: () => ({ reason: 'look' }),
      prepare: async () => void (await control.sql('delete from escalations')),
      field: () => `mutation { raiseEscalation(input: { ${org()}, reason: "look" }) { deduplicated } }`,
    },
    [`GET ${all}`]: { cells: 'A + + + + F A F', field: () => `{ escalations(${org()}) { edges { cursor } } }` },
    // A delegate sees its own, and this is another's.
    [`GET ${all}/:escalation_id`]: {
      cells: 'A + + + R F A F',
      prepare: escalation,
      field: () => `{ escalation(${one()}) { reason } }`,
    },
    [`POST ${all}/:escalation_id/ack`]: {
      cells: 'A + + F N F A F',
      prepare: escalation,
      field: () => `mutation { acknowledgeEscalation(input: { ${one()} }) { changed } }`,
    },
    [`POST ${all}/:escalation_id/resolve`]: {
      cells: 'A + + F N F A F',
      prepare: escalation,
      field: () => `mutation { resolveEscalation(input: { ${one()} }) { changed } }`,
    },
    // The link is all that is asked for; who only reads does not press it.
    'POST /escalations/v1/ack': {
      cells: '+ + + F + + + +',
      prepare: token,
      body: () => ({ token: params.token }),
      field: () => `mutation { acknowledgeByToken(input: { token: "${params.token}" }) { changed } }`,
    },
    [`GET ${contacts}`]: {
      cells: 'A + + + N F A F',
      field: () => `{ escalationContacts(${org()}) { edges { cursor } } }`,
    },
    [`POST ${contacts}`]: {
      cells: 'A + + F N F A F',
      prepare: async () => void (await control.sql('delete from escalation_contacts')),
      body: () => ({ email: 'ada@example.com' }),
      field: () => `mutation { addEscalationContact(input: { ${org()}, email: "ada@example.com" }) { contactId } }`,
    },
    [`DELETE ${contacts}/:contact_id`]: {
      cells: 'A + + F N F A F',
      prepare: contact,
      field: () =>
        `mutation { removeEscalationContact(input: { ${org()}, contact: "${params.contact_id}" }) { email } }`,
    },
  };
};
