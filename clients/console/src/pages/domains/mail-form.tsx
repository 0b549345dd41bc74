import { useState } from 'react';
import { Checkbox, type Option, Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { type Domain, isOn, roleOf, wantedMail } from './domain-types.ts';
import { EnsureDomainDocument, type EnsureDomainMutationVariables } from './domains.graphql.ts';

type Email = NonNullable<NonNullable<EnsureDomainMutationVariables['input']['desired']>['email']>;
type Strategy = NonNullable<NonNullable<Email['receive']>['strategy']>;

/** How mail may come in below a domain. */
export const strategies: readonly (Option & { readonly id: Strategy })[] = [
  { id: 'AUTO', name: 'As fits the domain' },
  { id: 'FULL_RECEIVE_TAKEOVER', name: 'All mail of the domain' },
  { id: 'SUBDOMAIN_MODE', name: 'Mail of a subdomain' },
  { id: 'FORWARDING_MODE', name: 'What its present mail server forwards' },
  { id: 'OUTBOUND_ONLY', name: 'None' },
];

const modes: readonly Option[] = [
  { id: 'PRIMARY', name: 'Writing and receiving' },
  { id: 'ALIAS', name: 'Receiving alone' },
];

interface MailFormProps {
  readonly project: string;
  readonly domain: Domain;
  readonly close: (isChanged: boolean) => void;
}

/** The dialog that says what is wanted of mail below a domain. */
export function MailForm({ project, domain, close }: MailFormProps) {
  const ensure = useChange(EnsureDomainDocument);
  const known = wantedMail(domain);
  const [sends, setSends] = useState(known?.send.enabled ?? true);
  const [strategy, setStrategy] = useState<Strategy>(
    known === undefined
      ? 'AUTO'
      : known.receive.enabled
        ? (known.receive.strategy.toUpperCase() as Strategy)
        : 'OUTBOUND_ONLY',
  );
  const [subdomain, setSubdomain] = useState(known?.receive.mail_subdomain ?? 'mail');
  const [lines, setLines] = useState(
    known?.mailbox_addresses.addresses.map((one) => `${one.local_part} = ${one.mailbox_slug}`).join('\n') ?? '',
  );
  const [mode, setMode] = useState(known?.mailbox_addresses.mode === 'alias' ? 'ALIAS' : 'PRIMARY');
  const [isManual, setManual] = useState(known?.activation === 'manual');
  const send = async () => {
    const addresses = addressesIn(lines);
    const email: Email = {
      send: { enabled: sends },
      receive: { enabled: strategy !== 'OUTBOUND_ONLY', strategy, mailSubdomain: subdomain },
      mailboxAddresses: { addresses, ...(addresses.length > 0 ? { mode: mode as 'PRIMARY' | 'ALIAS' } : {}) },
      activation: isManual ? 'MANUAL' : 'AUTOMATIC_WHEN_READY',
    };
    const web = { enabled: isOn(domain), role: roleOf(domain) };
    if ((await ensure.run({ project, domain: domain.domain, desired: { web, email } })) === undefined) return false;
    announce('Mail of the domain is changed.');
    close(true);
    return true;
  };
  return (
    <Modal title={`Mail below ${domain.domain}`} isOpen close={() => close(false)}>
      <Form
        label="Mail"
        submit="Save"
        cancel={() => close(false)}
        error={ensure.error}
        labels={{ 'desired.email.mailbox_addresses.addresses': 'Addresses' }}
        send={send}
      >
        <Checkbox isSelected={sends} onChange={setSends}>
          Mailboxes write from addresses of the domain
        </Checkbox>
        <Select
          label="Mail that comes in"
          hint="Mail servers that the domain has are left alone where you let the gateway choose."
          options={strategies}
          value={strategy}
          onChange={(id) => setStrategy(id as Strategy)}
        />
        {(strategy === 'AUTO' || strategy === 'SUBDOMAIN_MODE') && (
          <TextField
            label="Subdomain for mail"
            hint={`Addresses then end in @${subdomain}.${domain.domain}.`}
            value={subdomain}
            onChange={setSubdomain}
            isRequired
            maxLength={63}
            autoComplete="off"
            spellCheck="false"
          />
        )}
        <TextField
          label="Addresses"
          hint="One a line: what stands before the @, and the mailbox that it is. Mailboxes that there are none of are made."
          value={lines}
          onChange={setLines}
          multiline
          placeholder={'hello = hello-there\ninfo = hello-there'}
          autoComplete="off"
          spellCheck="false"
        />
        <Select label="Addresses are for" options={modes} value={mode} onChange={setMode} />
        <Checkbox isSelected={isManual} onChange={setManual}>
          Activate addresses by hand
        </Checkbox>
      </Form>
    </Modal>
  );
}

/** `hello = hello-there` a line; without a mailbox, the one of the same name. */
const addressesIn = (lines: string) =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [localPart = '', mailboxSlug = localPart] = line.split('=').map((part) => part.trim());
      return { localPart, mailboxSlug, createMailbox: true };
    });
