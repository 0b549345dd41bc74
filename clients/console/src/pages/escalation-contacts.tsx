import type { Ref } from 'react';
import { useChange } from '../graph/use-change.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, usePages, useStandingPage } from '../parts/more-pages.tsx';
import { Sure } from '../parts/sure.tsx';
import { may, type Role } from '../session/may.ts';
import { AddContactDocument, EscalationContactsDocument, RemoveContactDocument } from './escalations.graphql.ts';

interface ContactsProps {
  readonly org: string;
  /** The caller's role. */
  readonly role: Role | null | undefined;
  /** The input for a new contact's mail address. */
  readonly mail: Ref<HTMLInputElement>;
}

/** The contacts that escalations page, from the first level up. */
export function Contacts({ org, role, mail }: ContactsProps) {
  const pages = usePages();
  const answer = useAsk(EscalationContactsDocument, { org, after: pages.after });
  useStandingPage(pages, answer.error);
  const add = useChange(AddContactDocument);
  const remove = useChange(RemoveContactDocument);
  const mayChange = may(role, 'escalation:contacts:write');
  return (
    <Card title="Escalation contacts">
      <Loaded answer={answer}>
        {({ escalationContacts }) => {
          const contacts = escalationContacts?.edges ?? [];
          return (
            <>
              {contacts.length === 0 ? (
                <Empty title={pages.after === undefined ? 'No contacts yet' : 'The page is empty'}>
                  The lowest level is notified first, and the next level when no contact answers in time.
                </Empty>
              ) : (
                <ul className="list" aria-label="Escalation contacts">
                  {contacts.map(({ node }) => (
                    <li key={node.contactId} className="line">
                      <span className="grows">
                        {node.displayName ?? node.email}
                        {node.displayName !== null && <span className="quiet small"> {node.email}</span>}
                      </span>
                      <span className="small quiet">level {node.level}</span>
                      {mayChange && (
                        <Sure
                          really={`Really remove ${node.email}`}
                          busy={remove.busy}
                          run={() => remove.run({ org, contact: node.contactId })}
                        >
                          Remove <span className="seen-by-readers">{node.email}</span>
                        </Sure>
                      )}
                    </li>
                  ))}
                </ul>
              )}
              <MorePages pages={pages} info={escalationContacts?.pageInfo} list="contacts" />
            </>
          );
        }}
      </Loaded>
      {mayChange && (
        <Form
          label="New contact"
          className="row"
          send={async (values) => {
            const answered = await add.run({
              org,
              email: textOf(values, 'email'),
              level: Number(textOf(values, 'level')),
            });
            return answered !== undefined;
          }}
        >
          <Field label="Mail address">
            <input ref={mail} name="email" type="email" required />
          </Field>
          <Field label="Level">
            <input name="level" type="number" min={1} max={10} defaultValue={1} required />
          </Field>
          <button type="submit" disabled={add.busy}>
            Add contact
          </button>
        </Form>
      )}
      <ErrorNote error={add.error ?? remove.error} />
    </Card>
  );
}
