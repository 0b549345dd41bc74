import './ai.css';
import { useState } from 'react';
import { dollars } from '../../design/amounts.ts';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Section } from '../../design/section.tsx';
import { useChange } from '../../graph/use-change.ts';
import { GenerateImageDocument } from './ai.graphql.ts';

interface MakeImageProps {
  readonly project: string;
  /** Of one image, in micro-dollars. */
  readonly price: number;
}

const aspects = [
  { id: 'SQUARE', name: 'Square' },
  { id: 'LANDSCAPE', name: 'Landscape' },
  { id: 'PORTRAIT', name: 'Portrait' },
] as const;

/** A form that makes an image, which the organization pays for. */
export function MakeImage({ project, price }: MakeImageProps) {
  const make = useChange(GenerateImageDocument);
  const [prompt, setPrompt] = useState('');
  const [aspect, setAspect] = useState('SQUARE');
  const [picture, setPicture] = useState<{ readonly src: string; readonly of: string }>();
  return (
    <Section
      title="Make an image"
      about={`An image costs ${dollars(price)} from the prepaid balance of the organization.`}
    >
      <Form
        label="Make an image"
        submit="Make image"
        error={make.error}
        labels={{ prompt: 'What it shows', aspect: 'Shape' }}
        send={async () => {
          const answer = await make.run({ project, prompt, aspect: aspect as 'SQUARE' });
          const image = answer?.generateImage;
          if (image == null) return false;
          setPicture({ src: `data:${image.contentType};base64,${image.image}`, of: prompt });
          return true;
        }}
      >
        <TextField label="What it shows" value={prompt} onChange={setPrompt} maxLength={10_000} multiline isRequired />
        <Select label="Shape" options={aspects} value={aspect} onChange={setAspect} />
      </Form>
      {picture !== undefined && <img src={picture.src} alt={picture.of} className="made-image" />}
    </Section>
  );
}
