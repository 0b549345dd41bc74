import { useState } from 'react';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { ConfigureChannelDocument } from './channels.graphql.ts';

interface ConfigureChannelProps {
  readonly org: string;
  /** Those that are installed: one at least. */
  readonly communities: readonly { readonly id: string; readonly name: string }[];
  readonly close: () => void;
}

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '');

/** The dialog that has a channel told of events. */
export function ConfigureChannel({ org, communities, close }: ConfigureChannelProps) {
  const configure = useChange(ConfigureChannelDocument);
  const [community, setCommunity] = useState(communities[0]!.id);
  const [name, setName] = useState('');
  const [channel, setChannel] = useState('');
  const [projects, setProjects] = useState('');
  const listed = wordsOf(projects);
  return (
    <Modal title="Have a channel told of events" isOpen close={close} kind="alert">
      <Form
        label="Channel"
        submit="Make channel"
        cancel={close}
        error={configure.error}
        labels={{ route_name: 'Name', channel_id: 'Channel', project_ids: 'Projects' }}
        send={async () => {
          const made = await configure.run({
            org,
            communityInstallationId: community,
            routeName: name,
            channelId: channel.trim(),
            ...(listed.length === 0 ? { projectScope: 'ORG' as const } : { projectIds: listed }),
          });
          if (made?.configureChannelRoute == null) return false;
          const { authorization } = made.configureChannelRoute;
          announce(
            authorization.authorized
              ? 'The channel is told of events.'
              : 'Its key has to become a member of the channel.',
          );
          close();
          return true;
        }}
      >
        <Select label="Community" options={[...communities]} value={community} onChange={setCommunity} />
        <TextField label="Name" hint="What people call it." value={name} onChange={setName} isRequired />
        <TextField
          label="Channel"
          hint="The id of a group of the relay."
          value={channel}
          onChange={setChannel}
          isRequired
          autoComplete="off"
          spellCheck="false"
        />
        <TextField
          label="Projects"
          hint="Ids, separated by blanks. Leave it empty for all projects of the organization."
          value={projects}
          onChange={setProjects}
          placeholder="prj_…"
          autoComplete="off"
          spellCheck="false"
        />
      </Form>
    </Modal>
  );
}
