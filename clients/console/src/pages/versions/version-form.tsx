import { useState } from 'react';
import { Checkbox, Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { NumberField } from '../../design/number-field.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { tagsOf } from '../apps/tags-of.ts';
import { PublishAppDocument, UpdateAppVersionDocument, type VersionRowFragment } from './versions.graphql.ts';

interface VersionFormProps {
  readonly project: string;
  /** What is changed; undefined: a new one is published. */
  readonly version?: VersionRowFragment;
  readonly close: () => void;
}

const visibilities = [
  { id: 'PRIVATE', name: 'The organization alone' },
  { id: 'UNLISTED', name: 'Whoever has its id' },
  { id: 'PUBLIC', name: 'Everybody who browses' },
];

const microsPerDollar = 1_000_000;

/** The dialog that publishes a version, or changes what is said of one. */
export function VersionForm({ project, version, close }: VersionFormProps) {
  const publish = useChange(PublishAppDocument);
  const update = useChange(UpdateAppVersionDocument);
  const [description, setDescription] = useState(version?.description ?? '');
  const [tags, setTags] = useState(version?.tags.join(', ') ?? '');
  const [visibility, setVisibility] = useState<string>(version?.visibility ?? 'PRIVATE');
  const [forkAllowed, setForkAllowed] = useState(version?.forkAllowed ?? false);
  const [price, setPrice] = useState((version?.forkPriceUsdMicros ?? 0) / microsPerDollar);
  const said = {
    project,
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    tags: tagsOf(tags),
    visibility: visibility as VersionRowFragment['visibility'],
    forkAllowed,
    forkPriceUsdMicros: Math.round(price * 100) * (microsPerDollar / 100),
  };
  return (
    <Modal
      title={version === undefined ? 'Publish a version' : `Change version ${version.number}`}
      isOpen
      close={close}
      kind="alert"
    >
      <Form
        label="Version"
        submit={version === undefined ? 'Publish' : 'Save'}
        cancel={close}
        error={publish.error ?? update.error}
        labels={{ description: 'What it does', tags: 'Tags', visibility: 'Who finds it', forkPriceUsdMicros: 'Price' }}
        send={async () => {
          const done =
            version === undefined ? await publish.run(said) : await update.run({ ...said, version: version.versionId });
          if (done === undefined) return false;
          announce(version === undefined ? 'The version is published.' : 'The version is changed.');
          close();
          return true;
        }}
      >
        <TextField
          label="What it does"
          value={description}
          onChange={setDescription}
          maxLength={2_000}
          multiline
          autoFocus
        />
        <TextField
          label="Tags"
          hint="Words that it is found by, with commas between them: ten at most."
          value={tags}
          onChange={setTags}
          autoComplete="off"
        />
        <Select label="Who finds it" options={visibilities} value={visibility} onChange={setVisibility} />
        <Checkbox isSelected={forkAllowed} onChange={setForkAllowed}>
          Let others make projects from it
        </Checkbox>
        <NumberField
          label="Price of a fork in dollars"
          hint="It is credited to the balance of the organization."
          value={price}
          onChange={setPrice}
          minValue={0}
          maxValue={1_000}
          step={0.01}
        />
      </Form>
    </Modal>
  );
}
