import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useSearch } from '../../search.ts';
import { may } from '../../session/may.ts';
import type { OrganizationProps } from './parts.ts';
import { ClaimSlugDocument } from './settings.graphql.ts';

/** The address form of an organization, with a dialog that claims one. */
export function Slug({ organization: { orgId, slug, role } }: OrganizationProps) {
  const [dialog, setDialog] = useSearch('edit', '');
  const mayClaim = may(role, 'org:slug:claim');
  return (
    <Section
      title="Slug"
      about="A short unique name for addresses and commands."
      actions={
        mayClaim && (
          <Button small onPress={() => setDialog('slug')}>
            {slug === null ? 'Claim a slug' : 'Change slug'}
          </Button>
        )
      }
    >
      <p>{slug === null ? <span className="quiet">The organization has no slug.</span> : <code>{slug}</code>}</p>
      {dialog === 'slug' && mayClaim && (
        <ClaimSlug orgId={orgId} slug={slug} close={() => setDialog('', { replace: true })} />
      )}
    </Section>
  );
}

interface ClaimSlugProps {
  readonly orgId: string;
  readonly slug: string | null;
  readonly close: () => void;
}

function ClaimSlug({ orgId, slug, close }: ClaimSlugProps) {
  const claim = useChange(ClaimSlugDocument);
  return (
    <Modal title={slug === null ? 'Claim a slug' : 'Change the slug'} isOpen close={close} kind="alert">
      <p className="quiet">
        {slug === null
          ? 'The first slug costs $1.00, once. It is taken from the balance of the organization.'
          : `The change is free. ${slug} rests for 90 days, in which nobody else can claim it.`}
      </p>
      <Form
        label="Slug"
        submit={slug === null ? 'Claim slug' : 'Change slug'}
        cancel={close}
        error={claim.error}
        labels={{ slug: 'Slug' }}
        send={async (values) => {
          const wanted = String(values.get('slug')).trim();
          if ((await claim.run({ org: orgId, slug: wanted })) === undefined) return false;
          announce(`The slug is ${wanted}.`);
          close();
          return false;
        }}
      >
        <TextField
          label="Slug"
          name="slug"
          hint="1 to 39 lower-case letters, digits and single hyphens."
          defaultValue={slug ?? ''}
          isRequired
          autoFocus
          autoComplete="off"
        />
      </Form>
    </Modal>
  );
}
