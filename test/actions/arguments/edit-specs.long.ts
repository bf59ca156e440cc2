import { testForms } from './spec-forms.ts';

testForms(10_000, 0.95);
