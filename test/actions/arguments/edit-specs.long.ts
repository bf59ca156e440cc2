import { testForms } from './spec-forms.ts';

testForms(6000, 0.95);
