import {playPart} from './seeds.ts'

playPart(3)
