import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import type { Role } from '../../session/may.ts';
import { useDraft } from '../../use-draft.ts';
import { AddMemberDocument, InviteDocument } from './members.graphql.ts';
import { roleAbout, roleOptions } from './roles.ts';

const validFor = [
  { id: '24', name: '1 day' },
  { id: '168', name: '7 days' },
  { id: '720', name: '30 days' },
];

/** The dialog that adds a wallet at once, or invites a mail address. */
export function AddMember({ org, close }: { readonly org: string; readonly close: () => void }) {
  const add = useChange(AddMemberDocument);
  const invite = useChange(InviteDocument);
  const draft = useDraft(`member ${org}`, { subject: '', role: 'DEVELOPER' as Role, hours: '168' });
  const { subject, role, hours } = draft.values;
  const isMail = subject.includes('@');
  const send = async () => {
    const given = subject.trim();
    if (!isMail) {
      if ((await add.run({ org, wallet: given, role })) === undefined) return false;
      announce('The member is added.');
      close();
      return true;
    }
    const invited = await invite.run({ org, email: given, role, inviteTtlHours: Number(hours) });
    if (invited === undefined) return false;
    // A person whose address is verified already becomes a member at once.
    if (invited.createInvite?.status === 'ACTIVE') announce(`${given} is a member.`);
    else announce(`${given} is invited.`, 'The invitation is sent by mail.');
    close();
    return true;
  };
  return (
    <Modal title="Add a member" isOpen close={close} kind="alert">
      <Form
        label="Add a member"
        submit={isMail ? 'Send invitation' : 'Add member'}
        cancel={close}
        error={isMail ? invite.error : add.error}
        labels={{ wallet: 'Wallet', email: 'Mail address', role: 'Role' }}
        draft={draft}
        send={send}
      >
        <TextField
          label="Mail address or wallet"
          hint="A mail address gets an invitation. A wallet (0x…) is a member at once."
          {...draft.field('subject')}
          isRequired
          autoFocus
          autoComplete="off"
        />
        <Select
          label="Role"
          hint={roleAbout(role)}
          options={roleOptions}
          value={role}
          onChange={(id) => draft.set({ role: id as Role })}
        />
        {isMail && <Select label="The invitation is valid for" options={validFor} {...draft.field('hours')} />}
        {isMail && (role === 'OWNER' || role === 'ADMIN') && (
          <p className="small quiet">Owners and admins need a passkey: the membership begins with their first one.</p>
        )}
      </Form>
    </Modal>
  );
}
