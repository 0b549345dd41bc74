import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayChange } from '../../session/may.ts';
import { ProfileDocument, SaveNameDocument } from './you.graphql.ts';

/** A wallet's address by its ends. */
const shortWallet = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** The name that others see, and who the member is to the gateway. */
export function Profile() {
  const answer = useAsk(ProfileDocument, {});
  const [dialog, setDialog] = useSearch('dialog', '');
  return (
    <Section
      title="Profile"
      actions={
        mayChange() && (
          <Button icon={Pencil} onPress={() => setDialog('name')}>
            Change name
          </Button>
        )
      }
    >
      <Loaded answer={answer}>
        {({ whoami, operatorOverview }) =>
          whoami !== null && (
            <>
              <Facts
                facts={[
                  [
                    'Name',
                    <bdi key="name">{whoami.principal.displayName ?? <span className="quiet">Not set</span>}</bdi>,
                  ],
                  [
                    'Principal',
                    <span key="id" className="with-copy">
                      <code>{whoami.principal.principalId}</code>
                      <CopyButton what="the principal" text={whoami.principal.principalId} isIcon />
                    </span>,
                  ],
                  ['Since', <When key="since" at={whoami.principal.createdAt} />],
                  [
                    'Wallets',
                    operatorOverview === null || operatorOverview.wallets.length === 0 ? null : (
                      <ul key="wallets" className="wallets">
                        {operatorOverview.wallets.map((address) => (
                          <li key={address} className="with-copy">
                            <code title={address}>{shortWallet(address)}</code>
                            <CopyButton what={`wallet ${shortWallet(address)}`} text={address} isIcon />
                          </li>
                        ))}
                      </ul>
                    ),
                  ],
                ]}
              />
              {dialog === 'name' && mayChange() && (
                <NameDialog name={whoami.principal.displayName ?? ''} close={() => setDialog('')} />
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function NameDialog({ name: known, close }: { readonly name: string; readonly close: () => void }) {
  const [name, setName] = useState(known);
  const change = useChange(SaveNameDocument);
  const send = async () => {
    if ((await change.run({ displayName: name.trim() })) === undefined) return false;
    announce('Your name is saved.');
    close();
    return false;
  };
  return (
    <Modal kind="alert" title="Change your name" isOpen close={close}>
      <Form
        label="Your name"
        submit="Save"
        variant="primary"
        cancel={close}
        isDisabled={name.trim() === '' || name.trim() === known}
        error={change.error}
        labels={{ display_name: 'Name for others' }}
        send={send}
      >
        <TextField
          label="Name for others"
          hint="Members of your organizations see it beside what you do."
          value={name}
          onChange={setName}
          maxLength={64}
        />
      </Form>
    </Modal>
  );
}
