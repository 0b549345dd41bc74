import { Plus } from 'lucide-react';
import { useState } from 'react';
import './escalations.css';
import { Button } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { may, mayAround } from '../../session/may.ts';
import { useOrg } from '../use-org.ts';
import { Contacts } from './contacts.tsx';
import { EscalationList } from './escalation-list.tsx';
import { type EscalationStatus, EscalationsDocument } from './escalations.graphql.ts';
import { RaiseDialog, type Raised, RaisedNote } from './raise.tsx';

const states = [
  ['open', 'Open', 'OPEN'],
  ['acknowledged', 'Acknowledged', 'ACKNOWLEDGED'],
  ['resolved', 'Resolved', 'RESOLVED'],
] as const satisfies readonly (readonly [id: string, name: string, status: EscalationStatus])[];

/** Escalations of an organization by their state, and the contacts that they notify. */
export default function Escalations({ org }: { readonly org: string }) {
  const { role, crumbs } = useOrg(org);
  const [tab, setTab] = useSearch('tab', 'open');
  const [dialog, setDialog] = useSearch('dialog', '');
  const [raised, setRaised] = useState<Raised>();
  // A guest has no role here; one who may not even read the list is a stranger.
  const asGuest = useAsk(EscalationsDocument, role === null ? { org, status: 'OPEN', after: undefined } : undefined);
  const raises =
    role === null
      ? asGuest.data?.escalations != null && mayAround(role, 'escalation:raise')
      : role !== undefined && mayAround(role, 'escalation:raise');
  const readsContacts = may(role, 'escalation:contacts:read');
  const writesContacts = may(role, 'escalation:contacts:write');
  const isContacts = tab === 'contacts' && readsContacts;
  return (
    <Page
      title="Escalations"
      lead="Programs and people raise an escalation when they need a person."
      crumbs={crumbs}
      actions={
        isContacts
          ? writesContacts && (
              <Button variant="primary" icon={Plus} onPress={() => setDialog('contact')}>
                Add contact
              </Button>
            )
          : raises && (
              <Button variant="primary" icon={Plus} onPress={() => setDialog('raise')}>
                Raise
              </Button>
            )
      }
    >
      <RaisedNote
        org={org}
        raised={raised}
        addContact={
          writesContacts
            ? () => {
                setTab('contacts');
                setDialog('contact');
              }
            : undefined
        }
      />
      <Tabs
        label="Escalations"
        selected={tab}
        select={setTab}
        pages={[
          ...states.map(([id, name, status]) => ({
            id,
            name,
            content: <EscalationList org={org} status={status} />,
          })),
          ...(readsContacts
            ? [{ id: 'contacts', name: 'Contacts', content: <Contacts org={org} writes={writesContacts} /> }]
            : []),
        ]}
      />
      <RaiseDialog
        org={org}
        isOpen={dialog === 'raise' && raises}
        close={() => setDialog('')}
        raised={(told) => {
          setRaised(told);
          setTab('open');
        }}
      />
    </Page>
  );
}
